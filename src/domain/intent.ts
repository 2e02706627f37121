import type { MessageIntent } from './classify.ts'
import type { LiveState } from './lifecycle.ts'

export type { MessageIntent } from './classify.ts'

/** What a user's message does to its session. */
export type Action =
  /** Answers the question; the work continues. */
  | 'answer'
  /** Interrupts the work, and the agent acts on it at once. */
  | 'interrupt_and_incorporate'
  /** Joins the waiting interruption; the agent acts on both. */
  | 'incorporate'
  /** Asks for more than was proposed; the work continues. */
  | 'continue'
  /** Accepts the proposal; the session completes. */
  | 'complete'
  /** Is stored; nothing else changes. */
  | 'acknowledge'
  /** Ends the session and starts another. */
  | 'new_task'
  /** Ends the session. */
  | 'abandon'
  /** Asks the user what was meant. */
  | 'clarify'

const everywhere = (action: Action) => ({
  running: action,
  awaiting_user: action,
  interrupted: action,
  pending_complete: action,
})

const STEERING = {
  running: 'interrupt_and_incorporate',
  awaiting_user: 'answer',
  interrupted: 'incorporate',
  pending_complete: 'continue',
} as const

/** The action of each intent in each state. */
export const ACTIONS: Readonly<Record<MessageIntent, Readonly<Record<LiveState, Action>>>> = {
  // without a question it counts as a modification
  response: STEERING,
  modification: STEERING,
  // without a proposal there is nothing to confirm
  confirmation: { ...everywhere('acknowledge'), pending_complete: 'complete' },
  new_task: everywhere('new_task'),
  abandon: everywhere('abandon'),
  unclear: everywhere('clarify'),
}

/** Returns the action of an intent in a state. */
export function actionFor(intent: MessageIntent, state: LiveState): Action {
  return ACTIONS[intent][state]
}
