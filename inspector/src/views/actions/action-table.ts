import type { LifecycleCommandName, SessionState } from '../../api/types.ts'
import { isAllowed } from '../../domain.ts'

/** What can be done to a session from the page. */
export type ActionName = LifecycleCommandName | 'say' | 'compact' | 'fork'

/** Something to fill in. */
export interface Field {
  /** As the server calls it. */
  readonly name: string
  readonly label: string
  readonly kind: 'text' | 'line' | 'number'
  readonly isRequired: boolean
  readonly hint?: string
}

/** What an action is called, what it needs, and where it goes. */
export interface Action {
  /** On the button that opens it, and on the one that does it. */
  readonly name: string
  readonly title: string
  /** What comes of it. */
  readonly effect: string
  readonly fields: readonly Field[]
  /** Behind the path of the session. */
  readonly path: string
  /** Said when it is done. */
  readonly done: string
  readonly isFinal?: true
}

const text = (name: string, label: string, hint?: string): Field => ({
  name,
  label,
  kind: 'text',
  isRequired: true,
  ...(hint !== undefined && { hint }),
})

/** Everything that can be done. */
export const ACTIONS: Readonly<Record<ActionName, Action>> = {
  answer: {
    name: 'Answer',
    title: 'Answer the question',
    effect: 'The work goes on.',
    fields: [text('text', 'Your answer')],
    path: '/answer',
    done: 'Answered.',
  },
  interrupt: {
    name: 'Interrupt',
    title: 'Interrupt the agent',
    effect: 'The session is interrupted until the agent has taken your words up.',
    fields: [text('text', 'What the agent should know')],
    path: '/interrupt',
    done: 'Interrupted.',
  },
  incorporate: {
    name: 'Incorporate',
    title: 'Take the interruption up',
    effect: 'As the agent: the interruption was taken up, and the work goes on.',
    fields: [{ name: 'note', label: 'Note', kind: 'text', isRequired: false, hint: 'May be left empty.' }],
    path: '/incorporate',
    done: 'Incorporated.',
  },
  confirm: {
    name: 'Confirm',
    title: 'Confirm that the task is done',
    effect: 'The session is complete, and a commit is made of it. It takes no more events then.',
    fields: [],
    path: '/confirm',
    done: 'Confirmed.',
    isFinal: true,
  },
  continueWith: {
    name: 'Continue',
    title: 'Ask for more',
    effect: 'The task is not done yet: the work goes on.',
    fields: [text('request', 'What is still to be done')],
    path: '/continue',
    done: 'The work goes on.',
  },
  say: {
    name: 'Say',
    title: 'Say something as the user',
    effect: 'A user message is added. The state stays as it is.',
    fields: [text('content', 'Message')],
    path: '/messages',
    done: 'Said.',
  },
  ask: {
    name: 'Ask the user',
    title: 'Ask the user, as the agent',
    effect: 'The session waits for the answer.',
    fields: [text('question', 'Question')],
    path: '/ask',
    done: 'Asked.',
  },
  propose: {
    name: 'Propose completion',
    title: 'Propose that the task is done, as the agent',
    effect: 'The session waits for the user to confirm.',
    fields: [text('summary', 'Summary of what was done')],
    path: '/propose',
    done: 'Proposed.',
  },
  end: {
    name: 'End',
    title: 'End the session',
    effect: 'The session is complete, whatever is open, and no commit is made. It takes no more events then.',
    fields: [],
    path: '/end',
    done: 'Ended.',
    isFinal: true,
  },
  abort: {
    name: 'Abort',
    title: 'Abort the session',
    effect: 'The task is given up, and a commit is made of what there is. It takes no more events then.',
    fields: [text('reason', 'Reason')],
    path: '/abort',
    done: 'Aborted.',
    isFinal: true,
  },
  compact: {
    name: 'Compact',
    title: 'Make the commit of this session',
    effect: 'One commit then stands for all of its events. There is one for each session, and it stays as it is.',
    fields: [
      {
        name: 'summary',
        label: 'Summary',
        kind: 'text',
        isRequired: false,
        hint: 'Left empty, the server sums the session up.',
      },
    ],
    path: '/compact',
    done: 'Compacted.',
  },
  fork: {
    name: 'Fork',
    title: 'Fork the session',
    effect: 'A new session, in a new conversation, begins with what happened here. This one stays as it is.',
    fields: [
      {
        name: 'at',
        label: 'Last event to copy',
        kind: 'number',
        isRequired: false,
        hint: 'Left empty, all of them.',
      },
      { name: 'task', label: 'Task', kind: 'line', isRequired: false, hint: 'Left empty, the task of this session.' },
    ],
    path: '/fork',
    done: 'Forked.',
  },
}

/** Whether it leads to another state. */
export const changesState = (name: ActionName) => !['say', 'compact', 'fork'].includes(name)

/** Whether it replies to what the session waits with: a question, an interruption, a proposal. */
export const isReply = (name: ActionName) => ['answer', 'confirm', 'continueWith', 'incorporate'].includes(name)

/** What was filled in, by the names of the fields. */
export type Values = Readonly<Record<string, string>>

/** What is sent. What was left empty is left out, unless it has to be there: then the server says so. */
export function bodyOf(name: ActionName, values: Values): Readonly<Record<string, string | number>> {
  const body: Record<string, string | number> = name === 'say' ? { role: 'user' } : {}
  for (const { name: field, kind, isRequired } of ACTIONS[name].fields) {
    const value = values[field] ?? ''
    if (value.trim() === '' && !isRequired) continue
    body[field] = kind === 'number' ? Number(value) : value
  }
  return body
}

/** Where a session stands, as far as it decides what can be done. */
export interface SessionSituation {
  readonly state: SessionState
  /** It has ended or expired. */
  readonly isOver: boolean
  /** `undefined` while that is not known. */
  readonly hasCommit: boolean | undefined
}

/** What to offer: `first` in the bar, what matters most before the rest; `more` behind a button, and `agent` there too. */
export interface OfferedActions {
  readonly first: readonly ActionName[]
  readonly more: readonly ActionName[]
  readonly agent: readonly ActionName[]
}

/** What can be done where the session stands. To answer has a form of its own. */
export function offeredActions({ state, isOver, hasCommit }: SessionSituation): OfferedActions {
  if (isOver) return { first: hasCommit === false ? ['compact', 'fork'] : ['fork'], more: [], agent: [] }
  const allowed = (...names: LifecycleCommandName[]) => names.filter((name) => isAllowed(state, name))
  const first: ActionName[] = allowed('confirm', 'continueWith', 'incorporate', 'interrupt')
  const more: ActionName[] = ['fork', ...allowed('end', 'abort')]
  return state === 'running'
    ? { first: [...first, 'say'], more, agent: allowed('ask', 'propose') }
    : { first, more: ['say', ...more], agent: [] }
}
