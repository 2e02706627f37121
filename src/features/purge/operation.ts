import type { PurgeOptions, PurgeReceipt } from '../../api.ts'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { User } from '../../ports/recall-index.ts'
import type { SessionKey } from '../../ports/session-store.ts'
import { userFor } from '../access.ts'
import { type Deps, keyOf, now } from '../deps.ts'
import { parse } from '../parse.ts'
import { findSession } from '../sessions/operation.ts'
import { purgeUserInput } from './schema.ts'

/** Removes one session and all that is stored of it. */
export async function purgeSession(deps: Deps, id: string): Promise<PurgeReceipt> {
  const key = keyOf(deps, await findSession(deps, id))
  const view = await deps.store.load(key)
  if (view === undefined) throw new SessionNotFoundError(id)
  const purgedAt = now(deps)
  return { sessions: 1, ...(await purgeOne(deps, view.record, key)), purgedAt }
}

/** Removes every session of a user, one after the other, also those begun meanwhile, and all that is remembered. */
export async function purgeUser(deps: Deps, user: string, options: PurgeOptions = {}): Promise<PurgeReceipt> {
  const within = userFor(deps, parse(purgeUserInput, { ...options, userId: user }))
  const receipt = { sessions: 0, events: 0, keys: 0, memories: 0 }
  for (;;) {
    const ids = await deps.store.sessionIds({ limit: LIMITS.page, within })
    if (ids.length === 0) break
    for (const sessionId of ids) {
      try {
        const { events, keys } = await deps.store.purge({ sessionId, within }, now(deps))
        receipt.sessions++
        receipt.events += events
        receipt.keys += keys
      } catch (error) {
        // purged by someone else since its id was read
        if (!(error instanceof SessionNotFoundError)) throw error
      }
    }
  }
  const { memories } = await deps.store.memories.purge(within)
  return { ...receipt, memories, purgedAt: now(deps) }
}

/** Memories lose the session before it goes, and again after: whoever gathered from it in between was not too late. */
async function purgeOne(deps: Deps, { tenant, userId }: User, key: SessionKey) {
  const { forgetSession } = await import('../memory/operation.ts')
  const forgetIt = () => forgetSession(deps, { tenant, userId }, key.sessionId)
  const before = await forgetIt()
  const counts = await deps.store.purge(key, now(deps))
  const after = await forgetIt()
  return { ...counts, memories: before.forgotten + after.forgotten }
}
