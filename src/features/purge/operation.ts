import type { PurgeOptions, PurgeReceipt } from '../../api.ts'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { userFor } from '../kernel/access.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { parse, uuid } from '../kernel/parse.ts'
import { findSession } from '../sessions/operation.ts'
import { purgeUserInput } from './schema.ts'

/** Removes one session and everything stored about it, also if it is partly imported or partly purged. */
export async function purgeSession(deps: Deps, id: string): Promise<PurgeReceipt> {
  const discarded = await discardUnfinished(deps, id)
  if (discarded > 0) return await erased(deps, { sessions: 1, events: discarded, keys: 0, memories: 0 })
  const sessionId = await findSession(deps, id)
  const view = await deps.store.load(keyOf(deps, sessionId))
  const { purgeWithMemories } = await memories()
  const { tenant = '', userId = '' } = view?.record ?? {}
  const counts = await purged(deps, sessionId, () => purgeWithMemories(deps, { tenant, userId }, sessionId))
  if (counts === undefined) throw new SessionNotFoundError(id)
  return await erased(deps, { sessions: 1, ...counts })
}

/** Removes a session that is partly imported or partly purged; returns its events, 0 if there is none. */
async function discardUnfinished(deps: Deps, id: unknown): Promise<number> {
  const known = uuid().safeParse(id)
  return known.success ? await deps.store.imports.discard(keyOf(deps, known.data)) : 0
}

/**
 * Removes a user's memories and sessions one by one, also those started meanwhile. Memories go first, so that an
 * interrupted purge leaves no memory of a purged session, and again last, for those added meanwhile.
 */
export async function purgeUser(deps: Deps, user: string, options: PurgeOptions = {}): Promise<PurgeReceipt> {
  const within = userFor(deps, parse(purgeUserInput, { ...options, userId: user }))
  const { purgeWithMemories } = await memories()
  const receipt = { sessions: 0, events: 0, ...(await deps.store.memories.purge(within)) }
  for (;;) {
    const unfinished = await deps.store.imports.unfinished({ limit: LIMITS.page, within })
    for (const sessionId of unfinished) {
      const events = await deps.store.imports.discard({ sessionId })
      if (events > 0) receipt.sessions++
      receipt.events += events
    }
    const ids = await deps.store.sessionIds({ limit: LIMITS.page, within })
    if (ids.length === 0 && unfinished.length === 0) break
    for (const sessionId of ids) {
      const counts = await purged(deps, sessionId, () => purgeWithMemories(deps, within, sessionId))
      // purged by someone else since the list was read
      if (counts === undefined) continue
      receipt.sessions++
      receipt.events += counts.events
      receipt.keys += counts.keys
      receipt.memories += counts.memories
    }
  }
  const { memories: later, keys } = await deps.store.memories.purge(within)
  receipt.memories += later
  receipt.keys += keys
  return await erased(deps, receipt)
}

/** Completes the receipt once the purged data is also gone from the log of the database, as far as readers let it. */
async function erased(deps: Deps, counts: Omit<PurgeReceipt, 'purgedAt' | 'pending'>): Promise<PurgeReceipt> {
  const isErased = await deps.store.erase()
  return { ...counts, purgedAt: now(deps), ...(!isErased && { pending: true }) }
}

/** Purges the cache first, so that a crash in between leaves nothing to read, and again for reads meanwhile. */
async function purged<T>({ cache }: Deps, sessionId: string, work: () => Promise<T>): Promise<T> {
  await cache?.purged(sessionId)
  const result = await work()
  await cache?.purged(sessionId)
  return result
}

/** Loaded on first use, so startup does not pay for it. */
const memories = () => import('../memory/operation.ts')
