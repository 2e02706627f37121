import type { LifecycleCommandName, SessionState } from '../../api/types.ts'
import { isAllowed } from '../../domain.ts'

/** Actions that the page offers. */
export type ActionName = LifecycleCommandName | 'say' | 'compact' | 'fork' | 'cancel' | 'replace'

/** A form field. */
export interface Field {
  /** Name in the request body. */
  readonly name: string
  readonly label: string
  readonly kind: 'text' | 'line' | 'number'
  readonly isRequired: boolean
  readonly hint?: string
}

/** Labels, fields and path of an action. */
export interface Action {
  /** Label of the buttons that open and submit it. */
  readonly name: string
  readonly title: string
  /** What it changes. */
  readonly effect: string
  readonly fields: readonly Field[]
  /** After the path of the session; absent: the name of the action. */
  readonly path?: string
  /** Shown when it succeeded. */
  readonly done: string
  readonly isFinal?: true
}

const text = (name: string, label: string): Field => ({ name, label, kind: 'text', isRequired: true })
const optional = (kind: Field['kind'], name: string, label: string, hint: string): Field => ({
  name,
  label,
  kind,
  isRequired: false,
  hint,
})

/** Every action. */
export const ACTIONS: Readonly<Record<ActionName, Action>> = {
  answer: {
    name: 'Answer',
    title: 'Answer the question',
    effect: 'The agent continues.',
    fields: [text('text', 'Your answer')],
    done: 'Answered.',
  },
  interrupt: {
    name: 'Interrupt',
    title: 'Interrupt the agent',
    effect: 'The session stays interrupted until the agent incorporates your message.',
    fields: [text('text', 'Message to the agent')],
    done: 'Interrupted.',
  },
  incorporate: {
    name: 'Incorporate',
    title: 'Incorporate the interruption',
    effect: 'Records, as the agent, that the message was handled. Work continues.',
    fields: [optional('text', 'note', 'Note', 'Optional.')],
    done: 'Incorporated.',
  },
  confirm: {
    name: 'Confirm',
    title: 'Confirm that the task is done',
    effect: 'Completes the session and creates its commit. No more events can be added.',
    fields: [],
    done: 'Confirmed.',
    isFinal: true,
  },
  continueWith: {
    name: 'Continue',
    title: 'Request changes',
    effect: 'The task is not done yet: work continues.',
    fields: [text('request', 'What is missing')],
    path: '/continue',
    done: 'Continued.',
  },
  say: {
    name: 'Send message',
    title: 'Send a message as the user',
    effect: 'Adds a user message. The state does not change.',
    fields: [text('content', 'Message')],
    path: '/messages',
    done: 'Sent.',
  },
  ask: {
    name: 'Ask the user',
    title: 'Ask the user, as the agent',
    effect: 'The session waits for the answer.',
    fields: [text('question', 'Question')],
    done: 'Asked.',
  },
  propose: {
    name: 'Propose completion',
    title: 'Propose completion, as the agent',
    effect: 'The session waits for the user to confirm.',
    fields: [text('summary', 'Summary')],
    done: 'Proposed.',
  },
  end: {
    name: 'End',
    title: 'End the session',
    effect: 'Completes the session in any state, without a commit. No more events can be added.',
    fields: [],
    done: 'Ended.',
    isFinal: true,
  },
  abort: {
    name: 'Abort',
    title: 'Abort the session',
    effect: 'Abandons the task and creates a commit of the work so far. No more events can be added.',
    fields: [text('reason', 'Reason')],
    done: 'Aborted.',
    isFinal: true,
  },
  compact: {
    name: 'Compact',
    title: 'Compact the session',
    effect: 'Creates the only commit of this session: a summary of all its events. It cannot be changed later.',
    fields: [optional('text', 'summary', 'Summary', 'Leave empty to let the server write it.')],
    done: 'Compacted.',
  },
  fork: {
    name: 'Fork',
    title: 'Fork the session',
    effect: 'Starts a new session, in a new conversation, with a copy of these events. This session does not change.',
    fields: [
      optional('number', 'at', 'Last event to copy', 'Leave empty to copy all events.'),
      optional('line', 'task', 'Task', 'Leave empty to keep the task.'),
    ],
    done: 'Forked.',
  },
  cancel: {
    name: 'Stop run',
    title: 'Stop the run',
    effect: 'Asks the worker to stop, usually within a second. The session stays open.',
    fields: [optional('text', 'reason', 'Reason', 'Optional. The worker and the timeline show it.')],
    done: 'Asked to stop.',
  },
  replace: {
    name: 'Retry from here',
    title: 'Edit the message and retry',
    effect: 'The session continues from this message. What came after it stays in the log, as a branch.',
    fields: [text('content', 'Message')],
    done: 'Continued from the new message.',
  },
}

/** The path of an action after that of the session. */
export const actionPath = (name: ActionName) => ACTIONS[name].path ?? `/${name}`

/** Whether it changes the state. */
export const changesState = (name: ActionName) => !['say', 'compact', 'fork', 'cancel', 'replace'].includes(name)

/** Whether it replies to a question, an interruption or a proposal. */
export const isReply = (name: ActionName) => ['answer', 'confirm', 'continueWith', 'incorporate'].includes(name)

/** Values by field name. */
export type Values = Readonly<Record<string, string>>

/** The request body. Empty values are omitted, except required ones, which the server then rejects. */
export function bodyOf(name: ActionName, values: Values): Readonly<Record<string, unknown>> {
  if (name === 'replace')
    return { sequence: Number(values['sequence']), message: { role: 'user', content: values['content'] ?? '' } }
  const body: Record<string, string | number> = name === 'say' ? { role: 'user' } : {}
  for (const { name: field, kind, isRequired } of ACTIONS[name].fields) {
    const value = values[field] ?? ''
    if (value.trim() === '' && !isRequired) continue
    body[field] = kind === 'number' ? Number(value) : value
  }
  return body
}

/** What decides which actions are possible. */
export interface SessionSituation {
  readonly state: SessionState
  /** It has ended or expired. */
  readonly isOver: boolean
  /** `undefined` while unknown. */
  readonly hasCommit: boolean | undefined
}

/** Actions to offer: `first` in the bar, most important first; `more` and `agent` in the menu. */
export interface OfferedActions {
  readonly first: readonly ActionName[]
  readonly more: readonly ActionName[]
  readonly agent: readonly ActionName[]
}

/** The actions that are possible now. Answering has its own form. */
export function offeredActions({ state, isOver, hasCommit }: SessionSituation): OfferedActions {
  if (isOver) return { first: hasCommit === false ? ['compact', 'fork'] : ['fork'], more: [], agent: [] }
  const allowed = (...names: LifecycleCommandName[]) => names.filter((name) => isAllowed(state, name))
  const first: ActionName[] = allowed('confirm', 'continueWith', 'incorporate', 'interrupt')
  const more: ActionName[] = ['fork', ...allowed('end', 'abort')]
  return state === 'running'
    ? { first: [...first, 'say'], more, agent: allowed('ask', 'propose') }
    : { first, more: ['say', ...more], agent: [] }
}
