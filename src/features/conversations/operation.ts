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
import type { LiveState } from '../../domain/lifecycle.ts'
import { isFinal, isWithin, type Scope, type SessionRecord, type SessionStatus } from '../../domain/record.ts'
import { planByState, type ResumePlan, resumePlan, resumeText } from '../../domain/resume.ts'
import { compactSession } from '../compaction/operation.ts'
import { tenantFor } from '../kernel/access.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { abortIfDue, abortIfOpen, applyMessage, isDue } from '../lifecycle/operation.ts'
import { progressOf } from '../work/operation.ts'
import { classifyReply, SAY, STEPS } from './actions.ts'
import { type EarlierCall, findEarlierCall, idempotentCall, withKey } from './idempotent-call.ts'
import { conversation, incoming, resumption } from './schema.ts'
import { type IncomingMessage, isMeaningful, startNext, startWith } from './start.ts'

/** What a message led to. */
export interface Handled {
  action: Action | 'started'
  intent: MessageIntent
  /** Who classified it, by which rule, and why a model was not used if one was configured. */
  judged: JsonObject
  /** The conversation's live session, if it has one now. */
  sessionId?: string
  /** The session that this message ended. */
  endedId?: string
  say: string
}

/**
 * Applies a user's message to the conversation: the session continues, completes, ends, asks back, or a new one starts.
 * With a key, one write decides; the rest follows from what was written, so a repeat continues where the first attempt
 * stopped.
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
  const call = await idempotentCall(deps, scope, idempotencyKey, ['handle', message])
  const incomingMessage = { scope, message, call }
  return await withKey(idempotencyKey, () =>
    deps.conversationMutex.run(JSON.stringify(scope), () => handleInOrder(deps, incomingMessage)),
  )
}

/** Messages of one conversation run in order within this process; those of other processes may overtake. */
async function handleInOrder(deps: Deps, incomingMessage: IncomingMessage): Promise<Handled> {
  const { scope, call } = incomingMessage
  for (let attempt = 1; ; attempt++) {
    try {
      const record = await openSession(deps, scope)
      const before = await findEarlierCall(deps, scope, call)
      if (before !== undefined) return await handleRepeat(deps, incomingMessage, before)
      if (record !== undefined && !(await closeIfDue(deps, record)))
        return await handleIn(deps, incomingMessage, record)
      await commitLastSession(deps, scope)
      return await start(deps, incomingMessage)
    } catch (error) {
      // another message came first and changed the session: classify this one again
      if (!OVERTAKEN_ERRORS.some((kind) => error instanceof kind) || attempt === MAX_ATTEMPTS) throw error
    }
  }
}

/** Each attempt lets one of the concurrent messages through. */
const MAX_ATTEMPTS = 50

const OVERTAKEN_ERRORS = [InvalidTransitionError, SessionEndedError, SessionActiveError]

async function handleIn(deps: Deps, incomingMessage: IncomingMessage, record: SessionRecord): Promise<Handled> {
  const { id, status, task } = record
  const { message, call } = incomingMessage
  const judged = classifyReply(status, message) ?? (await deps.classify({ message, status, task }))
  const action = actionFor(judged.intent, status.state as LiveState)
  const { commands, recordsMessage } = STEPS[action](message, status.state as LiveState)
  // a message that starts another task is recorded there
  const said = recordsMessage || action === 'new_task' ? {} : { said: message }
  // do not end a running task for one that cannot start
  if (action === 'new_task') await requireIntake(deps)
  const withoutCommit = action === 'new_task' && !(await isMeaningful(deps, id))
  const intent = { ...judged }
  const effect = { commands, intent, withoutCommit, from: status, ...said }
  const { events, replayed } = await applyMessage(deps, id, effect, call)
  const taken = { sessionId: id, events }
  return await followUp(deps, incomingMessage, taken, replayed ? await statusBefore(deps, taken) : status)
}

/** Continues where an earlier attempt stopped. */
async function handleRepeat(deps: Deps, incomingMessage: IncomingMessage, before: EarlierCall): Promise<Handled> {
  const { sessionId, events } = before
  if (sessionId !== incomingMessage.call?.idempotencyKey)
    return await followUp(deps, incomingMessage, before, await statusBefore(deps, before))
  const last = events.at(-1)
  if (last === undefined) return await start(deps, incomingMessage)
  const { intent, displaced } = (last.parts ?? {}) as { intent?: JsonObject; displaced?: string }
  if (intent === undefined || displaced === undefined) return started(sessionId)
  return { ...classifiedAs('new_task', intent), sessionId, endedId: displaced }
}

/** What follows the write in a live session that had this status. */
async function followUp(
  deps: Deps,
  incomingMessage: IncomingMessage,
  taken: EarlierCall,
  status: SessionStatus,
): Promise<Handled> {
  const { sessionId: id, events } = taken
  const kept = events.map(({ parts }) => parts as { intent?: JsonObject; commits?: false } | undefined)
  const intent = kept.find((parts) => parts?.intent !== undefined)?.intent ?? {}
  const action = actionFor(intent['intent'] as MessageIntent, status.state as LiveState)
  const result = classifiedAs(action, intent)
  switch (action) {
    case 'new_task':
      if (kept.at(-1)?.commits !== false) await compactSession(deps, id)
      return { ...result, sessionId: await startNext(deps, incomingMessage, id, status, intent), endedId: id }
    case 'complete':
    case 'abandon':
      await compactSession(deps, id)
      return { ...result, endedId: id }
    case 'acknowledge':
      return {
        ...result,
        sessionId: id,
        say: status.state === 'awaiting_user' ? resumeText(planByState(status)) : result.say,
      }
    default:
      return { ...result, sessionId: id }
  }
}

function classifiedAs(action: Action, judged: JsonObject): Handled {
  return { action, intent: judged['intent'] as MessageIntent, judged, say: SAY[action] }
}

/** The status of the session when these events were written. */
async function statusBefore(deps: Deps, { sessionId, events }: EarlierCall): Promise<SessionStatus> {
  const before = events[0]?.sequence ?? 0
  const query = { types: ['status_changed'], before, line: true, order: 'desc', limit: 1 } as const
  const [last] = await deps.store.read(keyOf(deps, sessionId), query)
  const { status } = JSON.parse(last?.parts ?? '{}') as Partial<StatusParts>
  // a final status belongs to the session it was forked from
  return status === undefined || isFinal(status.state) ? { state: 'running' } : status
}

async function requireIntake({ store }: Deps): Promise<void> {
  const since = await store.pausedSince()
  if (since !== undefined) throw new IntakePausedError(since)
}

/** How to continue a conversation when its user comes back. */
export interface ResumedPlan {
  plan: ResumePlan['plan']
  sessionId?: string
  endedId?: string
  say: string
}

/**
 * What to do and say when the user comes back, by idle time and state. Writes nothing, unless the session has gone
 * stale: then it is closed.
 */
export async function resumeConversation(deps: Deps, conversationId: string, input: ResumeScope): Promise<ResumedPlan> {
  const { accept, ...given } = parse(resumption, { ...input, conversationId })
  const record = await openSession(deps, scopeOf(deps, given))
  if (record === undefined) return { plan: 'new_task', say: resumeText({ plan: 'new_task' }) }
  const { id } = record
  if (await closeIfDue(deps, record)) return { plan: 'expired', endedId: id, say: resumeText({ plan: 'expired' }) }
  const plan = accept ? planByState(record.status) : resumePlan(record, now(deps), deps.policy)
  const progress = plan.plan === 'show_progress' ? await progressOf(deps, id) : ''
  return { plan: plan.plan, sessionId: id, say: resumeText(plan, progress) }
}

/** The user does not want to continue: the session ends with a commit of what was done. */
export async function declineSession(
  deps: Deps,
  conversationId: string,
  input: ConversationScope,
  options: WriteOptions = {},
): Promise<ResumedPlan> {
  const scope = scopeOf(deps, parse(conversation, { ...input, conversationId }))
  const { idempotencyKey } = parse(writeOptions, options)
  const call = await idempotentCall(deps, scope, idempotencyKey, ['decline'])
  return await withKey(idempotencyKey, async () => {
    const record = await openSession(deps, scope)
    const { sessionId: id = record?.id, events = [] } = (await findEarlierCall(deps, scope, call)) ?? {}
    const next = { plan: 'new_task', say: resumeText({ plan: 'new_task' }) } as const
    if (id === undefined) return next
    if (events.length === 0) await abortIfOpen(deps, id, 'declined', { call: call })
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

/** The conversation's session that has no recorded end; it may have expired. */
async function openSession(deps: Deps, scope: Scope): Promise<SessionRecord | undefined> {
  if (!isWithin(scope, deps.within)) return undefined
  // at the epoch nothing has expired yet
  return await deps.store.active({ ...scope, at: new Date(0).toISOString() })
}

/** Starts a session in a conversation that has none. */
async function start(deps: Deps, { scope, message, call }: IncomingMessage): Promise<Handled> {
  return started(await startWith(deps, scope, [{ content: message }], call))
}

function started(sessionId: string): Handled {
  return { action: 'started', intent: 'new_task', judged: {}, sessionId, say: SAY.started }
}

/** Makes the commit of the conversation's last session if a crash prevented it. */
async function commitLastSession(deps: Deps, { tenant, userId, chatmode, conversationId }: Scope): Promise<void> {
  const [last] = await deps.store.list({ tenant, userId, chatmode, conversationId, limit: 1 })
  const view = last && (await deps.store.load(keyOf(deps, last.id)))
  if (view?.awaitsCommit) await compactSession(deps, view.record.id)
}

/** Closes a session that has gone stale or expired; says whether it did. */
async function closeIfDue(deps: Deps, session: SessionRecord): Promise<boolean> {
  const { id } = session
  if (!isDue(deps, session, now(deps))) return false
  const isClosed = await abortIfDue(deps, id)
  if (isClosed) await compactSession(deps, id)
  return isClosed
}
