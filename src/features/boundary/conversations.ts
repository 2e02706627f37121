import type { ConversationScope, Incoming, ResumeScope } from '../../api.ts'
import type { MessageIntent } from '../../domain/classify.ts'
import {
  IntakePausedError,
  InvalidTransitionError,
  SessionActiveError,
  SessionEndedError,
} from '../../domain/errors.ts'
import { type Action, actionFor } from '../../domain/intent.ts'
import type { JsonObject } from '../../domain/json.ts'
import type { LifecycleCommand, LiveState } from '../../domain/lifecycle.ts'
import { isWithin, type SessionRecord, type SessionStatus } from '../../domain/record.ts'
import {
  ABANDONED,
  DECLINED,
  DISPLACED,
  EXPIRED,
  planByState,
  type ResumePlan,
  resumePlan,
  say,
} from '../../domain/resume.ts'
import type { Judged } from '../../ports/model.ts'
import { tenantFor } from '../access.ts'
import { compactSession } from '../compaction/operation.ts'
import { type Deps, keyOf, now } from '../deps.ts'
import { appendEvents } from '../log/operation.ts'
import { parse } from '../parse.ts'
import { startSession } from '../sessions/operation.ts'
import { progressOf } from '../work/operation.ts'
import { takeSteps } from './lifecycle.ts'
import { conversation, incoming, resumption } from './schema.ts'
import { isDue } from './sweep.ts'

type Scope = ReturnType<typeof scopeOf>

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

/** Takes a user's message to where the conversation stands: it goes on, completes, begins anew, ends or asks. */
export async function handleMessage(deps: Deps, conversationId: string, input: Incoming): Promise<Handled> {
  const { message, ...given } = parse(incoming, { ...input, conversationId })
  const scope = scopeOf(deps, given)
  return await deps.turns.take(JSON.stringify(scope), () => handleInTurn(deps, scope, message))
}

/** Messages of one conversation come one after the other in this process; those of other processes may overtake. */
async function handleInTurn(deps: Deps, scope: Scope, message: string): Promise<Handled> {
  for (let attempt = 1; ; attempt++) {
    try {
      const record = await openSession(deps, scope)
      if (record !== undefined && !(await closeIfDue(deps, record))) return await handleIn(deps, scope, record, message)
      await finishLast(deps, scope)
      const sessionId = await begin(deps, scope, message)
      return { action: 'started', intent: 'new_task', judged: {}, sessionId, say: SAY.started }
    } catch (error) {
      // another message came first and changed where it stands: judge this one again
      if (!OVERTAKEN.some((kind) => error instanceof kind) || attempt === ATTEMPTS) throw error
    }
  }
}

/** Each time one of the messages that come at once gets through. */
const ATTEMPTS = 50

const OVERTAKEN = [InvalidTransitionError, SessionEndedError, SessionActiveError]

async function handleIn(deps: Deps, scope: Scope, record: SessionRecord, message: string): Promise<Handled> {
  const { id, status, task } = record
  const judged = clarified(status, message) ?? (await deps.classify({ message, status, task }))
  const action = actionFor(judged.intent, status.state as LiveState)
  const result = { action, intent: judged.intent, judged: { ...judged }, say: SAY[action] }
  const { commands, speaks } = STEPS[action](message, status.state as LiveState)
  // a message that begins another task belongs to that one
  const said = speaks || action === 'new_task' ? {} : { said: message }
  // what runs is not ended for something that cannot begin
  if (action === 'new_task') await requireIntake(deps)
  const withoutCommit = action === 'new_task' && !deps.staging.has(id) && !(await isMeaningful(deps, id))
  if (commands.length > 0) await takeSteps(deps, id, commands, { intent: result.judged, withoutCommit, ...said })
  else await appendEvents(deps, id, { type: 'user_message', content: message, parts: { intent: result.judged } })
  switch (action) {
    case 'new_task':
      if (!withoutCommit) await compactSession(deps, id)
      return { ...result, sessionId: await beginNext(deps, scope, record, message, result.judged), endedId: id }
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

async function requireIntake({ store }: Deps): Promise<void> {
  const since = await store.pausedSince()
  if (since !== undefined) throw new IntakePausedError(since)
}

/** What a reply to our own question means: the message that was unclear belongs to the task, or is something new. */
function clarified(status: SessionStatus, reply: string): Judged | undefined {
  if (status.state !== 'awaiting_user' || status.question !== SAY.clarify) return undefined
  const isNew = /\b(new|different|another|separate|unrelated|something else)\b/i.test(reply)
  const isSame = /\b(same|current|belongs?|part of|this task|the task|continue|yes|yeah|yep)\b/i.test(reply)
  if (isNew === isSame) return undefined
  return { intent: isNew ? 'new_task' : 'response', by: 'rules', rule: 'reply to a clarification' }
}

interface Steps {
  commands: LifecycleCommand[]
  /** Whether one of them brings the user's words into the log itself. */
  speaks: boolean
}

/** The steps of the state machine that each action takes. */
const STEPS: Record<Action, (message: string, state: LiveState) => Steps> = {
  answer: (text) => ({ commands: [{ do: 'answer', text }], speaks: true }),
  interrupt_and_incorporate: (text) => ({
    commands: [
      { do: 'interrupt', text },
      { do: 'incorporate', note: text },
    ],
    speaks: true,
  }),
  incorporate: (note) => ({ commands: [{ do: 'incorporate', note }], speaks: false }),
  continue: (request) => ({ commands: [{ do: 'continueWith', request }], speaks: true }),
  complete: () => ({ commands: [{ do: 'confirm' }], speaks: false }),
  acknowledge: () => ({ commands: [], speaks: false }),
  new_task: () => ({ commands: [{ do: 'abort', reason: DISPLACED }], speaks: false }),
  abandon: () => ({ commands: [{ do: 'abort', reason: ABANDONED }], speaks: false }),
  // a question that waits already is not replaced
  clarify: (_, state) => ({
    commands: state === 'running' ? [{ do: 'ask', question: SAY.clarify }] : [],
    speaks: false,
  }),
}

/** What to say to the user. */
const SAY: Record<Action | 'started', string> = {
  started: 'I begin with that.',
  answer: 'Thank you. I go on with it.',
  interrupt_and_incorporate: 'Understood. I take that up and go on.',
  incorporate: 'Understood. I take both up and go on.',
  continue: 'I go on with that.',
  complete: 'The task is complete, and what was done is kept. What would you like to do next?',
  acknowledge: 'Noted.',
  new_task: 'The other task is put away, with what was done. I begin with the new one.',
  abandon: 'I stop here. What was done so far is kept. What would you like to do next?',
  clarify: 'Does that belong to the task we are at, or is it something new?',
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
): Promise<ResumedPlan> {
  const record = await openSession(deps, scopeOf(deps, parse(conversation, { ...input, conversationId })))
  const next = { plan: 'new_task', say: say({ plan: 'new_task' }) } as const
  if (record === undefined) return next
  await takeSteps(deps, record.id, [{ do: 'abort', reason: DECLINED }], {
    unless: ({ endedAt }) => endedAt !== undefined,
  })
  await compactSession(deps, record.id)
  return { ...next, endedId: record.id }
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

async function begin(deps: Deps, scope: Scope, message: string, intent?: JsonObject): Promise<string> {
  const id = await startSession(deps, { ...scope, task: message.slice(0, LONGEST_TASK).toWellFormed() })
  const parts = intent === undefined ? {} : { parts: { intent } }
  await appendEvents(deps, id, { type: 'user_message', content: message, ...parts })
  return id
}

/** Begins the next task; where we had asked whether it is one, with the message that had been unclear. */
async function beginNext(
  deps: Deps,
  scope: Scope,
  { id, status }: SessionRecord,
  message: string,
  intent: JsonObject,
): Promise<string> {
  if (status.state !== 'awaiting_user' || status.question !== SAY.clarify) {
    return await begin(deps, scope, message, intent)
  }
  const query = { types: ['user_message'], order: 'desc', limit: 1 } as const
  const [unclear] = await deps.store.read(keyOf(deps, id), query)
  const next = await begin(deps, scope, unclear?.content ?? message)
  await appendEvents(deps, next, { type: 'user_message', content: message, parts: { intent } })
  return next
}

/** Makes the commit that a crash kept the last session of the conversation from having. */
async function finishLast(deps: Deps, { tenant, userId, chatmode, conversationId }: Scope): Promise<void> {
  const [last] = await deps.store.list({ tenant, userId, chatmode, conversationId, limit: 1 })
  const view = last && (await deps.store.load(keyOf(deps, last.id)))
  if (view?.awaitsCommit) await compactSession(deps, view.record.id)
}

/** Characters of the first message that make the task. */
const LONGEST_TASK = 1000

/** Closes a session that rested for too long or has expired, and says whether it did. */
async function closeIfDue(deps: Deps, session: SessionRecord): Promise<boolean> {
  const { id } = session
  if (!isDue(deps, session, now(deps))) return false
  const { taken } = await takeSteps(deps, id, [{ do: 'abort', reason: EXPIRED }], {
    unless: (record, at) => !isDue(deps, record, at),
  })
  if (taken) await compactSession(deps, id)
  return taken
}

const MEANINGFUL = ['model_message', 'tool_call', 'tool_result', 'work_committed']

/** Whether something was done that is worth a commit. */
async function isMeaningful(deps: Deps, id: string): Promise<boolean> {
  const found = await deps.store.read(keyOf(deps, id), { types: MEANINGFUL, order: 'asc', limit: 1 })
  return found.length > 0
}
