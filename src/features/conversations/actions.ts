import type { Action } from '../../domain/intent.ts'
import { abortFor, type LifecycleCommand, type LiveState } from '../../domain/lifecycle.ts'
import type { SessionStatus } from '../../domain/record.ts'
import type { ClassifyResult } from '../../ports/model.ts'
/** What an action does to the session. */
export interface Steps {
  commands: LifecycleCommand[]
  /** Whether one of them brings the user's words into the log itself. */
  speaks: boolean
}

/** The steps of the state machine that each action takes. */
export const STEPS: Record<Action, (message: string, state: LiveState) => Steps> = {
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
  new_task: () => ({ commands: [abortFor('displaced')], speaks: false }),
  abandon: () => ({ commands: [abortFor('abandoned')], speaks: false }),
  // a question that waits already is not replaced
  clarify: (_, state) => ({
    commands: state === 'running' ? [{ do: 'ask', question: SAY.clarify, cause: 'unclear' }] : [],
    speaks: false,
  }),
}

/** What to say to the user. */
export const SAY: Record<Action | 'started', string> = {
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

/** Whether we asked what the last message was meant for, and wait for the answer. */
export function isUnclear(status: SessionStatus): boolean {
  return status.state === 'awaiting_user' && status.cause === 'unclear'
}

/** What a reply to our own question means: the message that was unclear belongs to the task, or is something new. */
export function clarified(status: SessionStatus, reply: string): ClassifyResult | undefined {
  if (!isUnclear(status)) return undefined
  const isNew = /\b(new|different|another|separate|unrelated|something else)\b/i.test(reply)
  const isSame = /\b(same|current|belongs?|part of|this task|the task|continue|yes|yeah|yep)\b/i.test(reply)
  if (isNew === isSame) return undefined
  return { intent: isNew ? 'new_task' : 'response', by: 'rules', rule: 'reply to a clarification' }
}
