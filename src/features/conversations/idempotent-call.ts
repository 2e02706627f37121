import { IdempotencyMismatchError, SessionNotFoundError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { isWithin, type Scope } from '../../domain/record.ts'
import { writtenWith } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { derivedId } from '../kernel/derived-id.ts'
import { takeSteps } from '../lifecycle/operation.ts'

/** How long the key of a call on a conversation is remembered, in milliseconds. Who got no answer asks again within minutes. */
const REMEMBERED = 24 * 3600_000

/** In how many sessions it is looked for, those that were written to last: each is one more call to the store. */
const SESSIONS = 10

/** A call on a conversation that has its effect once. */
export interface IdempotentCall {
  /** Made of the caller's key and whose conversation it is: the key of what is written in a session, and the id of a session begun by it. */
  readonly idempotencyKey: string
  /** The call and all it was given. */
  readonly command: readonly unknown[]
}

/** Where a call was taken before. */
export interface EarlierCall {
  readonly sessionId: string
  /** What it wrote there; empty where it began the session and came no further. */
  readonly events: readonly SessionEvent[]
}

/** The call with its key; `undefined` without one. */
export function idempotentCall(
  scope: Scope,
  key: string | undefined,
  command: readonly unknown[],
): IdempotentCall | undefined {
  if (key === undefined) return undefined
  const { tenant, userId, chatmode, conversationId } = scope
  return { idempotencyKey: derivedId('conversation', tenant, userId, chatmode, conversationId, key), command }
}

/**
 * Where the call was taken before, as far as that is remembered; `undefined` if it was not. To be asked after the look for the live
 * session: what another process writes since then goes into that one, where the key is met again, or into the one that the call itself
 * would begin.
 */
export async function findEarlierCall(
  deps: Deps,
  scope: Scope,
  once: IdempotentCall | undefined,
): Promise<EarlierCall | undefined> {
  if (once === undefined || !isWithin(scope, deps.within)) return undefined
  const begun = once.idempotencyKey
  const isBegun = (await deps.store.load(keyOf(deps, begun))) !== undefined
  const first = isBegun ? await takenIn(deps, begun, once) : undefined
  if (first !== undefined) return first
  const since = new Date(deps.clock.now() - REMEMBERED).toISOString()
  const recent = await deps.store.list({ ...scope, since, limit: SESSIONS })
  const others = recent.filter(({ id }) => id !== begun)
  const found = await Promise.all(others.map(({ id }) => takenIn(deps, id, once)))
  return found.find((taken) => taken !== undefined) ?? (isBegun ? { sessionId: begun, events: [] } : undefined)
}

async function takenIn(deps: Deps, sessionId: string, once: IdempotentCall): Promise<EarlierCall | undefined> {
  try {
    const events = await writtenWith(deps, sessionId, once)
    if (events.length === 0) return undefined
    // what came along the first time is written, although nobody was told
    if (deps.staging.has(sessionId)) await takeSteps(deps, sessionId, [], { ...once, unless: () => true })
    return { sessionId, events }
  } catch (error) {
    // purged since its id was read
    if (error instanceof SessionNotFoundError) return undefined
    throw error
  }
}

/** Does it; that the key was used for something else is said of the key that the caller gave. */
export async function withKey<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (key === undefined || !(error instanceof IdempotencyMismatchError)) throw error
    const { sessionId } = error.details
    throw sessionId === undefined ? error : new IdempotencyMismatchError({ sessionId, key }, { cause: error })
  }
}
