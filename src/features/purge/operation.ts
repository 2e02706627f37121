import type { PurgeOptions, PurgeReceipt } from '../../api.ts'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { requireOwn, tenantFor } from '../access.ts'
import { type Deps, keyOf, now } from '../deps.ts'
import { parse } from '../parse.ts'
import { findSession } from '../sessions/operation.ts'
import { purgeUserInput } from './schema.ts'

/** Removes one session and all that is stored of it. */
export async function purgeSession(deps: Deps, id: string): Promise<PurgeReceipt> {
  const purgedAt = now(deps)
  const counts = await deps.store.purge(keyOf(deps, await findSession(deps, id)), purgedAt)
  return { sessions: 1, ...counts, purgedAt }
}

/** Removes every session of a user, one after the other, also those begun meanwhile. */
export async function purgeUser(deps: Deps, user: string, options: PurgeOptions = {}): Promise<PurgeReceipt> {
  const { userId, tenant: given } = parse(purgeUserInput, { ...options, userId: user })
  const within = { tenant: tenantFor(deps, given), userId }
  requireOwn(deps, within)
  const receipt = { sessions: 0, events: 0, keys: 0 }
  for (;;) {
    const ids = await deps.store.sessionIds({ limit: LIMITS.page, within })
    if (ids.length === 0) return { ...receipt, purgedAt: now(deps) }
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
}
