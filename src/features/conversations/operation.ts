import type { ConversationScope, Incoming, ResumeScope, WriteOptions } from '../../api.ts'
import type { MessageIntent } from '../../domain/classify.ts'
import {
  IntakePausedError,
  InvalidTransitionError,
  SessionActiveError,
  SessionEndedError,
} from '../../domain/errors.ts'
import type { StatusParts } from '../../domain/fold.ts'
import { type Action, actionFor } from '../../domain/intent.ts'
import type { JsonObject } from '../../domain/json.ts'
import { abortFor, type LiveState } from '../../domain/lifecycle.ts'
import { isFinal, isWithin, type Scope, type SessionRecord, type SessionStatus } from '../../domain/record.ts'
import { planByState, type ResumePlan, resumePlan, say } from '../../domain/resume.ts'
import { compactSession } from '../compaction/operation.ts'
import { tenantFor } from '../kernel/access.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { isDue, takeSteps } from '../lifecycle/operation.ts'
import { progressOf } from '../work/operation.ts'
import { clarified, SAY, STEPS } from './actions.ts'
import { type EarlierCall, findEarlierCall, idempotentCall, withKey } from './idempotent-call.ts'
import { conversation, incoming, resumption } from './schema.ts'
import { type IncomingMessage, isMeaningful, startNext, startWith } from './start.ts'

/** What became of a message. */
export interface Handled {
  action: Action | 'started'
  intent: MessageIntent
  /** Who judged, by what rule, and why not whoever was asked first. */
  judged: JsonObject
  /** The live session of the conversation, if it has one now. */
  sessionId?: string
  /** The session that ended by it. */
  endedId?: string
  say: string
}

/**
 * Takes a user's message to where the conversation stands: it goes on, completes, begins anew, ends or asks. With a key that is decided by one
 * write, and what comes after follows from what was written: a repeat finds it, and goes on where the first attempt stopped.
 */
export async function handleMessage(
  deps: Deps,
  conversationId: string,
  input: Incoming,
  options: WriteOptions = {},
): Promise<Handled> {
  const { message, ...given } = parse(incoming, { ...input, conversationId })
  const { idempotencyKey } = parse(writeOptions, options)
  const scope = scopeOf(deps, given)
  const turn = { scope, message, once: idempotentCall(scope, idempotencyKey, ['handle', message]) }
  return await withKey(idempotencyKey, () =>
    deps.conversationMutex.run(JSON.stringify(scope), () => handleInTurn(deps, turn)),
  )
}

/** Messages of one conversation come one after the other in this process; those of other processes may overtake. */
async function handleInTurn(deps: Deps, turn: IncomingMessage): Promise<Handled> {
  const { scope, once } = turn
  for (let attempt = 1; ; attempt++) {
    try {
      const record = await openSession(deps, scope)
      const before = await findEarlierCall(deps, scope, once)
      if (before !== undefined) return await handleAgain(deps, turn, before)
      if (record !== undefined && !(await closeIfDue(deps, record))) return await handleIn(deps, turn, record)
      await finishLast(deps, scope)
      return await start(deps, turn)
    } catch (error) {
      // another message came first and changed where it stands: judge this one again
      if (!OVERTAKEN.some((kind) => error instanceof kind) || attempt === ATTEMPTS) throw error
    }
  }
}

/** Each time one of the messages that come at once gets through. */
const ATTEMPTS = 50

const OVERTAKEN = [InvalidTransitionError, SessionEndedError, SessionActiveError]

async function handleIn(deps: Deps, turn: IncomingMessage, record: SessionRecord): Promise<Handled> {
  const { id, status, task } = record
  const { message, once } = turn
  const judged = clarified(status, message) ?? (await deps.classify({ message, status, task }))
  const action = actionFor(judged.intent, status.state as LiveState)
  const { commands, speaks } = STEPS[action](message, status.state as LiveState)
  // a message that begins another task belongs to that one
  const said = speaks || action === 'new_task' ? {} : { said: message }
  // what runs is not ended for something that cannot begin
  if (action === 'new_task') await requireIntake(deps)
  const withoutCommit = action === 'new_task' && !(await isMeaningful(deps, id))
  const intent = { ...judged }
  const { events, replayed } = await takeSteps(deps, id, commands, {
    intent,
    withoutCommit,
    from: status,
    ...said,
    ...once,
  })
  const taken = { sessionId: id, events }
  return await goOn(deps, turn, taken, replayed ? await statusBefore(deps, taken) : status)
}

/** Goes on where an earlier attempt stopped. */
async function handleAgain(deps: Deps, turn: IncomingMessage, before: EarlierCall): Promise<Handled> {
  const { sessionId, events } = before
  if (sessionId !== turn.once?.idempotencyKey) return await goOn(deps, turn, before, await statusBefore(deps, before))
  const last = events.at(-1)
  if (last === undefined) return await start(deps, turn)
  const { intent, displaced } = (last.parts ?? {}) as { intent?: JsonObject; displaced?: string }
  if (intent === undefined || displaced === undefined) return started(sessionId)
  return { ...judgedAs('new_task', intent), sessionId, endedId: displaced }
}

/** What comes after the write in a live session whose status was `status`. */
async function goOn(deps: Deps, turn: IncomingMessage, taken: EarlierCall, status: SessionStatus): Promise<Handled> {
  const { sessionId: id, events } = taken
  const kept = events.map(({ parts }) => parts as { intent?: JsonObject; commits?: false } | undefined)
  const intent = kept.find((parts) => parts?.intent !== undefined)?.intent ?? {}
  const action = actionFor(intent['intent'] as MessageIntent, status.state as LiveState)
  const result = judgedAs(action, intent)
  switch (action) {
    case 'new_task':
      if (kept.at(-1)?.commits !== false) await compactSession(deps, id)
      return { ...result, sessionId: await startNext(deps, turn, id, status, intent), endedId: id }
    case 'complete':
    case 'abandon':
      await compactSession(deps, id)
      return { ...result, endedId: id }
    case 'acknowledge':
      return { ...result, sessionId: id, say: status.state === 'awaiting_user' ? say(planByState(status)) : result.say }
    default:
      return { ...result, sessionId: id }
  }
}

function judgedAs(action: Action, judged: JsonObject): Handled {
  return { action, intent: judged['intent'] as MessageIntent, judged, say: SAY[action] }
}

/** The status in which something was written. */
async function statusBefore(deps: Deps, { sessionId, events }: EarlierCall): Promise<SessionStatus> {
  const before = events[0]?.sequence ?? 0
  const query = { types: ['status_changed'], before, order: 'desc', limit: 1 } as const
  const [last] = await deps.store.read(keyOf(deps, sessionId), query)
  const { status } = JSON.parse(last?.parts ?? '{}') as Partial<StatusParts>
  // a final one is that of the session it was forked from
  return status === undefined || isFinal(status.state) ? { state: 'running' } : status
}

async function requireIntake({ store }: Deps): Promise<void> {
  const since = await store.pausedSince()
  if (since !== undefined) throw new IntakePausedError(since)
}

/** Where a conversation stands when its user comes back. */
export interface ResumedPlan {
  plan: ResumePlan['plan']
  sessionId?: string
  endedId?: string
  say: string
}

/**
 * What to do and to say when the user comes back, by how long nothing was written and by where the session stands. It
 * writes nothing, unless the session rested for too long: then it is closed.
 */
export async function resumeConversation(deps: Deps, conversationId: string, input: ResumeScope): Promise<ResumedPlan> {
  const { accept, ...given } = parse(resumption, { ...input, conversationId })
  const record = await openSession(deps, scopeOf(deps, given))
  if (record === undefined) return { plan: 'new_task', say: say({ plan: 'new_task' }) }
  const { id } = record
  if (await closeIfDue(deps, record)) return { plan: 'expired', endedId: id, say: say({ plan: 'expired' }) }
  const plan = accept ? planByState(record.status) : resumePlan(record, now(deps), deps.policy)
  const progress = plan.plan === 'show_progress' ? await progressOf(deps, id) : ''
  return { plan: plan.plan, sessionId: id, say: say(plan, progress) }
}

/** The user does not want to go on: the session ends, with a commit of what there is. */
export async function declineSession(
  deps: Deps,
  conversationId: string,
  input: ConversationScope,
  options: WriteOptions = {},
): Promise<ResumedPlan> {
  const scope = scopeOf(deps, parse(conversation, { ...input, conversationId }))
  const { idempotencyKey } = parse(writeOptions, options)
  const once = idempotentCall(scope, idempotencyKey, ['decline'])
  return await withKey(idempotencyKey, async () => {
    const record = await openSession(deps, scope)
    const { sessionId: id = record?.id, events = [] } = (await findEarlierCall(deps, scope, once)) ?? {}
    const next = { plan: 'new_task', say: say({ plan: 'new_task' }) } as const
    if (id === undefined) return next
    const unless = ({ endedAt }: SessionRecord) => endedAt !== undefined
    if (events.length === 0) await takeSteps(deps, id, [abortFor('declined')], { unless, ...once })
    await compactSession(deps, id)
    return { ...next, endedId: id }
  })
}

function scopeOf(
  deps: Deps,
  { tenant, ...given }: { tenant?: string | undefined; conversationId: string; userId: string; chatmode: string },
) {
  return { ...given, tenant: tenantFor(deps, tenant) }
}

/** The session of the conversation that has not ended; it may have expired. */
async function openSession(deps: Deps, scope: Scope): Promise<SessionRecord | undefined> {
  if (!isWithin(scope, deps.within)) return undefined
  // seen from long ago nothing has expired
  return await deps.store.active({ ...scope, at: new Date(0).toISOString() })
}

/** Begins a session where the conversation has none. */
async function start(deps: Deps, { scope, message, once }: IncomingMessage): Promise<Handled> {
  return started(await startWith(deps, scope, [{ content: message }], once))
}

function started(sessionId: string): Handled {
  return { action: 'started', intent: 'new_task', judged: {}, sessionId, say: SAY.started }
}

/** Makes the commit that a crash kept the last session of the conversation from having. */
async function finishLast(deps: Deps, { tenant, userId, chatmode, conversationId }: Scope): Promise<void> {
  const [last] = await deps.store.list({ tenant, userId, chatmode, conversationId, limit: 1 })
  const view = last && (await deps.store.load(keyOf(deps, last.id)))
  if (view?.awaitsCommit) await compactSession(deps, view.record.id)
}

/** Closes a session that rested for too long or has expired, and says whether it did. */
async function closeIfDue(deps: Deps, session: SessionRecord): Promise<boolean> {
  const { id } = session
  if (!isDue(deps, session, now(deps))) return false
  const { taken } = await takeSteps(deps, id, [abortFor('expired')], {
    unless: (record, at) => !isDue(deps, record, at),
  })
  if (taken) await compactSession(deps, id)
  return taken
}
