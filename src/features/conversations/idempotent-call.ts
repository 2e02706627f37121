import { IdempotencyMismatchError, SessionNotFoundError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { isEndOfList } from '../../domain/list-size.ts'
import { defined } from '../../domain/optional.ts'
import { sessionIdFor } from '../../domain/partition.ts'
import { isWithin, type Scope } from '../../domain/record.ts'
import type { ListQuery } from '../../ports/session-store.ts'
import { findEarlierWrite } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { derivedId } from '../kernel/derived-id.ts'
import { dropWrittenWork } from '../lifecycle/operation.ts'

/**
 * How long the key of a conversation call is looked for, in milliseconds. A caller that got no response retries within
 * minutes.
 */
const KEY_LIFETIME_MS = 24 * 3600_000

/** In how many of the most recently active sessions the key is looked for: each costs one call to the store. */
const MAX_SESSIONS = 10

/** A conversation call that takes effect once, however often it is repeated. */
export interface IdempotentCall {
  /** Derived from the caller's key and the conversation's scope; also the id of a session that the call starts. */
  readonly idempotencyKey: string
  /** The call and its arguments. */
  readonly command: readonly unknown[]
}

/** The session in which an earlier attempt of the call took effect. */
export interface EarlierCall {
  readonly sessionId: string
  /** What it wrote there; empty if it started the session and got no further. */
  readonly events: readonly SessionEvent[]
}

/** The call with its derived key; `undefined` if the caller gave none. */
export async function idempotentCall(
  deps: Deps,
  scope: Scope,
  key: string | undefined,
  command: readonly unknown[],
): Promise<IdempotentCall | undefined> {
  if (key === undefined) return undefined
  const { tenant, userId, chatmode, conversationId } = scope
  const id = derivedId(await deps.idSecret(), 'conversation', tenant, userId, chatmode, conversationId, key)
  return { idempotencyKey: sessionIdFor(scope, id), command }
}

/**
 * Finds an earlier attempt of the call; `undefined` if there is none, or it is too old. Look for the live session
 * first: whatever another process writes after that goes into the live session, where the key is checked again, or into
 * the session that the call itself would start.
 */
export async function findEarlierCall(
  deps: Deps,
  scope: Scope,
  call: IdempotentCall | undefined,
): Promise<EarlierCall | undefined> {
  if (call === undefined || !isWithin(scope, deps.within)) return undefined
  const ownId = call.idempotencyKey
  const isStarted = (await deps.store.load(keyOf(deps, ownId))) !== undefined
  const first = isStarted ? await findIn(deps, ownId, call) : undefined
  if (first !== undefined) return first
  const since = new Date(deps.clock.now() - KEY_LIFETIME_MS).toISOString()
  const others = (await recentSessions(deps, scope, since)).filter((id) => id !== ownId)
  const found = await Promise.all(others.map((id) => findIn(deps, id, call)))
  return found.find((earlier) => earlier !== undefined) ?? (isStarted ? { sessionId: ownId, events: [] } : undefined)
}

/** Ids of the most recently active sessions. A page of the store can have fewer than its limit (rule S28). */
async function recentSessions(deps: Deps, scope: Scope, since: string): Promise<string[]> {
  const { tenant, userId, chatmode, conversationId } = scope
  const query = { tenant, userId, chatmode, conversationId, since }
  const ids: string[] = []
  for (let cursor: ListQuery['cursor']; ; ) {
    const limit = MAX_SESSIONS - ids.length
    const page = await deps.store.list({ ...query, limit, ...defined({ cursor }) })
    for (const { id } of page) ids.push(id)
    if (ids.length === MAX_SESSIONS || isEndOfList(page, limit)) return ids
    cursor = page.at(-1)
  }
}

async function findIn(deps: Deps, sessionId: string, call: IdempotentCall): Promise<EarlierCall | undefined> {
  try {
    const events = await findEarlierWrite(deps, sessionId, call)
    if (events.length === 0) return undefined
    if (deps.staging.has(sessionId)) await dropWrittenWork(deps, sessionId, call)
    return { sessionId, events }
  } catch (error) {
    // purged since the list was read
    if (error instanceof SessionNotFoundError) return undefined
    throw error
  }
}

/** Runs the call; a mismatch is reported with the key that the caller gave, not the derived one. */
export async function withKey<T>(key: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (key === undefined || !(error instanceof IdempotencyMismatchError)) throw error
    const { sessionId } = error.details
    throw sessionId === undefined ? error : new IdempotencyMismatchError({ sessionId, key }, { cause: error })
  }
}
