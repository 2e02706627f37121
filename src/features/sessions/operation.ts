import type { z } from 'zod/mini'
import type { ActiveScope, CreateSession, ForkOptions } from '../../api.ts'
import {
  IdempotencyMismatchError,
  SessionActiveError,
  SessionNotFoundError,
  ValidationError,
} from '../../domain/errors.ts'
import { evolve, type ForkedParts, initialView, type SessionView, type StartedParts } from '../../domain/fold.ts'
import { encodeJson, type JsonObject } from '../../domain/json.ts'
import { abortFor, nextStatus } from '../../domain/lifecycle.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { sessionIdFor } from '../../domain/partition.ts'
import { endTime, isWithin, type SessionRecord } from '../../domain/record.ts'
import type { CreateRequest, CreateResult, StoredEvent } from '../../ports/session-store.ts'
import { checkMetadata, counted, envelopeIn } from '../envelope/operation.ts'
import { requireOwn, tenantFor } from '../kernel/access.ts'
import { type Draft, decideInAnyState, newEvent } from '../kernel/decide.ts'
import { type Deps, defaultAgent, keyOf, now } from '../kernel/deps.ts'
import { viewAt } from '../kernel/history.ts'
import { parse, uuid } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { storedView } from '../kernel/stored-view.ts'
import { requireParent } from './children.ts'
import { activeScope, createSession, forkOptions } from './schema.ts'

export { childrenOf } from './children.ts'
export { findSessions } from './list.ts'

/** Starts a session and returns its id. `keyed` is the id derived from an idempotency key, if the caller chose none. */
export async function startSession(deps: Deps, input: CreateSession, keyed?: string): Promise<string> {
  return await create(deps, input, keyed, false)
}

/** The id of the live session in the scope, or of a new one. */
export async function getOrStartSession(deps: Deps, input: CreateSession, keyed?: string): Promise<string> {
  return await create(deps, input, keyed, true)
}

async function create(deps: Deps, input: CreateSession, keyed: string | undefined, mayReuse: boolean): Promise<string> {
  const { id: chosen, ...given } = parse(createSession, input)
  const owner = { tenant: tenantFor(deps, given.tenant), userId: given.userId }
  requireOwn(deps, owner)
  const { parent, conversationId } = given
  if (mayReuse && parent !== undefined && conversationId === undefined) {
    throw new ValidationError('conversationId', 'is required with a parent: it says which child to reuse')
  }
  if (parent !== undefined) await requireParent(deps, owner, parent)
  const id = chosen ?? sessionIdFor(owner, keyed ?? deps.newId())
  const parts = startedParts(deps, given)
  const event = newEvent(deps, startedDraft(parts))
  const at = now(deps)
  const view = initialView(sessionEvent(id, { ...event, sequence: 1, createdAt: at }))
  const reuse = conversationId === undefined ? 'any' : 'conversation'
  const request: CreateRequest = {
    event,
    at,
    view: storedView(deps, view),
    reuse: mayReuse ? reuse : 'none',
    isNewId: chosen === undefined,
  }

  for (;;) {
    const { outcome, record } = await counted(deps, 'create', () => deps.store.create(request), isNew)
    if (outcome === 'same-id') return await sameSession(deps, record, parts, input)
    const isOther = outcome === 'found' && parent !== undefined && record.parent?.sessionId !== parent.sessionId
    if (outcome !== 'blocked' && !isOther) return record.id
    if (isOther || endTime(record, at) === undefined) {
      throw new SessionActiveError({ sessionId: record.id, conversationId: record.conversationId })
    }
    // the session in the way has expired: record its end, then there is room
    await expireSession(deps, record.id)
  }
}

const isNew = ({ outcome }: CreateResult) => outcome === 'created'

function startedParts(deps: Deps, given: Omit<z.output<ReturnType<typeof createSession>>, 'id'>): StartedParts {
  const { userId, chatmode, conversationId = deps.newId(), agent = defaultAgent(deps), metadata = {} } = given
  const { workflow, skill, gitBranch, task, parent } = given
  const expiresAt = expiryOf(deps, given)
  checkMetadata(deps, metadata)
  return defined({
    tenant: tenantFor(deps, given.tenant),
    userId,
    chatmode,
    conversationId,
    agent,
    workflow,
    skill,
    gitBranch,
    task,
    expiresAt,
    metadata,
    parent: parent && defined(parent),
    ...identityOf(deps),
  })
}

/** Issuer and scope of the caller's token. Last among the parts, so that a repeat can take them over. */
function identityOf({ within }: Deps): Pick<StartedParts, 'identity'> {
  const { issuer, scope } = within ?? {}
  if (issuer === undefined && scope === undefined) return {}
  return { identity: defined({ issuer, scope }) }
}

function expiryOf(deps: Deps, { expiresAt, expiresInMs }: Expiry): string | undefined {
  if (expiresInMs === undefined) return expiresAt
  if (expiresAt !== undefined) throw new ValidationError('expiresInMs', 'must not be combined with expiresAt')
  return new Date(deps.clock.now() + expiresInMs).toISOString()
}

type Expiry = Pick<z.output<ReturnType<typeof createSession>>, 'expiresAt' | 'expiresInMs'>

function startedDraft(parts: StartedParts): Draft {
  const content = parts.task === undefined ? 'Session started' : `Session started: ${parts.task}`
  return { type: 'session_started', content, parts: parts as unknown as JsonObject }
}

/** Creating again with the same id is a repeat if the values are equal, and a mismatch otherwise. */
async function sameSession(
  deps: Deps,
  { id, ...owner }: SessionRecord,
  { identity: _now, ...parts }: StartedParts,
  input: CreateSession,
): Promise<string> {
  if (!isWithin(owner, deps.within)) throw new IdempotencyMismatchError({ sessionId: id })
  const [first] = await deps.store.read({ sessionId: id }, { order: 'asc', limit: 1 })
  const before = JSON.parse(first?.parts ?? '{}') as StartedParts
  // take over the values that the first call generated or got from its token
  const conversationId = input.conversationId ?? before.conversationId
  const expiry = input.expiresInMs !== undefined && before.expiresAt !== undefined && { expiresAt: before.expiresAt }
  const { identity } = before
  const taken = defined({ ...parts, conversationId, ...expiry, identity })
  const again = newEvent(deps, startedDraft(taken))
  if (first?.type === again.type && first.parts === again.parts) return id
  throw new IdempotencyMismatchError({ sessionId: id })
}

/** Records the end of a session that has expired; leaves any other session alone. */
export async function expireSession(deps: Deps, id: string): Promise<void> {
  const decide = ({ record }: SessionView, at: string): Draft[] => {
    if (record.endedAt !== undefined || endTime(record, at) === undefined) return []
    const command = abortFor('expired')
    const status = nextStatus(record.status, command, at, id)
    return [{ type: 'status_changed', content: command.reason, parts: { status: { ...status } } }]
  }
  await decideInAnyState(deps, id, decide)
}

/** The id of the newest live session in the scope. */
export async function findActive(deps: Deps, scope: ActiveScope): Promise<string | undefined> {
  const { conversationId, userId, chatmode, tenant: given } = parse(activeScope, scope)
  const tenant = tenantFor(deps, given)
  if (!isWithin({ tenant, userId }, deps.within)) return undefined
  const record = await deps.store.active(defined({ tenant, userId, chatmode, at: now(deps), conversationId }))
  return record?.id
}

/** Checks that the session exists and returns its id in stored form. */
export async function findSession(deps: Deps, id: unknown): Promise<string> {
  if (typeof id !== 'string') throw new ValidationError('id', 'must be the id of a session')
  const known = uuid().safeParse(id)
  if (!known.success) throw new SessionNotFoundError(id.slice(0, 64))
  await sessionRecord(deps, known.data)
  return known.data
}

export async function sessionRecord(deps: Deps, id: string): Promise<SessionRecord> {
  const record = await deps.store.record(keyOf(deps, id))
  if (record === undefined) throw new SessionNotFoundError(id)
  return record
}

/** Starts a session with a copy of this one's events up to `at`; returns its id. `keyed` as in `startSession`. */
export async function forkSession(
  deps: Deps,
  source: string,
  options: ForkOptions = {},
  keyed?: string,
): Promise<string> {
  const { at: wanted, id: chosen, chatmode, task, metadata } = parse(forkOptions, options)
  if (metadata !== undefined) checkMetadata(deps, metadata)
  const sequence = wanted ?? (await sessionRecord(deps, source)).head
  const found = await viewAt(deps, source, sequence)
  const id = chosen ?? sessionIdFor(found.record, keyed ?? deps.newId())
  const before = deps.keepsEnvelopes ? { ...found, envelope: await envelopeIn(deps, found) } : found
  const parts: ForkedParts = {
    from: { sessionId: source, sequence },
    conversationId: deps.newId(),
    chatmode: chatmode ?? before.record.chatmode,
    ...((task ?? before.record.task) !== undefined && { task: task ?? before.record.task }),
    metadata: metadata ?? before.record.metadata,
  }
  const event = newEvent(deps, {
    type: 'session_forked',
    content: `Forked from session ${source} at ${sequence}`,
    parts: parts as unknown as JsonObject,
  })
  const at = now(deps)
  const stored: StoredEvent = { ...event, sequence: sequence + 1, createdAt: at }
  const view = storedView(deps, evolve(before, sessionEvent(id, stored)))
  const isNewId = chosen === undefined
  const request = { source: { ...keyOf(deps, source), sequence }, event, at, view, isNewId }
  const { outcome, record } = await counted(deps, 'fork', () => deps.store.fork(request), isNew)
  if (outcome === 'created') return id
  const { forkedFrom } = record
  if (wanted === undefined && forkedFrom?.sessionId === source && forkedFrom.sequence < sequence) {
    // a repeat copies as far as the first call did, even if the source has grown since
    return await forkSession(deps, source, { ...options, at: forkedFrom.sequence }, keyed)
  }
  if (await sameFork(deps, record, parts)) return id
  throw new IdempotencyMismatchError({ sessionId: id })
}

/** Whether the session is a fork made with these values, in whatever conversation. */
async function sameFork(deps: Deps, { id, ...owner }: SessionRecord, parts: ForkedParts): Promise<boolean> {
  if (!isWithin(owner, deps.within)) return false
  const [event] = await deps.store.read({ sessionId: id }, { after: parts.from.sequence, order: 'asc', limit: 1 })
  if (event?.type !== 'session_forked') return false
  const { conversationId } = JSON.parse(event.parts ?? '{}') as ForkedParts
  const again = encodeJson({ ...parts, conversationId }, 'parts', LIMITS.parts)
  return event.parts === again
}
