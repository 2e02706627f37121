import type { PurgeOptions, PurgeReceipt } from '../../api.ts'
import { SessionNotFoundError, StorageError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import { userFor } from '../kernel/access.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { parse, uuid } from '../kernel/parse.ts'
import { findSession } from '../sessions/operation.ts'
import { purgeUserInput } from './schema.ts'

/** Retries of a purge when the session starts children meanwhile. */
const ATTEMPTS = 50

type Counts = Omit<PurgeReceipt, 'purgedAt' | 'pending'>

/** Removes a session with its children and everything stored about them, also if it is partly imported or purged. */
export async function purgeSession(deps: Deps, id: string): Promise<PurgeReceipt> {
  const discarded = await discardUnfinished(deps, id)
  if (discarded > 0) return await erased(deps, { sessions: 1, events: discarded, keys: 0, memories: 0 })
  const sessionId = await findSession(deps, id)
  const record = await deps.store.record(keyOf(deps, sessionId))
  const counts = record && (await purgeTree(deps, record, sessionId))
  if (counts === undefined) throw new SessionNotFoundError(id)
  return await erased(deps, counts)
}

/** Purges a session with all its descendants in one step. `undefined` if there is no such session. */
async function purgeTree(deps: Deps, { tenant, userId }: UserKey, sessionId: string): Promise<Counts | undefined> {
  const { purgeWithMemories } = await memories()
  const key = { sessionId, within: { tenant, userId } }
  for (let attempt = 1; (await deps.store.record(key)) !== undefined; attempt++) {
    const ids = [sessionId, ...(await deps.store.descendants(key))]
    const counts = await purged(deps, ids, () => purgeWithMemories(deps, { tenant, userId }, ids))
    for (const id of ids) deps.logCache.delete(id)
    if (counts !== undefined) return { sessions: ids.length, ...counts }
    // a child was started or purged since; one that keeps starting children must end first
    if (attempt === ATTEMPTS) throw new StorageError(deps.store.name, `session '${sessionId}' keeps starting children`)
  }
  return undefined
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
      const counts = await purgeTree(deps, within, sessionId)
      // purged since the list was read, with its parent or by someone else
      if (counts === undefined) continue
      receipt.sessions += counts.sessions
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
async function erased(deps: Deps, counts: Counts): Promise<PurgeReceipt> {
  const isErased = await deps.store.erase()
  return { ...counts, purgedAt: now(deps), ...(!isErased && { pending: true }) }
}

/** Purges the cache first, so that a crash in between leaves nothing to read, and again for reads meanwhile. */
async function purged<T>({ cache }: Deps, sessionIds: readonly string[], work: () => Promise<T>): Promise<T> {
  for (const id of sessionIds) await cache?.purged(id)
  const result = await work()
  for (const id of sessionIds) await cache?.purged(id)
  return result
}

/** Loaded on first use, so startup does not pay for it. */
const memories = () => import('../memory/operation.ts')
