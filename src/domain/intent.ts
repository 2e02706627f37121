import type { MessageIntent } from './classify.ts'
import type { LiveState } from './lifecycle.ts'

export type { MessageIntent } from './classify.ts'

/** What a user's message does to the session it comes in. */
export type Action =
  /** It answers the question: the work goes on. */
  | 'answer'
  /** It stops the work and is taken up at once. */
  | 'interrupt_and_incorporate'
  /** It joins the interruption that waits, and both are taken up. */
  | 'incorporate'
  /** It asks for more than was proposed: the work goes on. */
  | 'continue'
  /** It accepts what was proposed: the session completes. */
  | 'complete'
  /** It is kept, and nothing else changes. */
  | 'acknowledge'
  /** The session ends in favour of another one. */
  | 'new_task'
  /** The session ends. */
  | 'abandon'
  /** The user is asked what was meant. */
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

/** What each intent does in each state. */
export const ACTIONS: Readonly<Record<MessageIntent, Readonly<Record<LiveState, Action>>>> = {
  // where nothing was asked it counts as a modification
  response: STEERING,
  modification: STEERING,
  // where nothing was proposed there is nothing to confirm
  confirmation: { ...everywhere('acknowledge'), pending_complete: 'complete' },
  new_task: everywhere('new_task'),
  abandon: everywhere('abandon'),
  unclear: everywhere('clarify'),
}

/** What a message of that intent does to a session in that state. */
export function actionFor(intent: MessageIntent, state: LiveState): Action {
  return ACTIONS[intent][state]
}
