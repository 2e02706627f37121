import type { Action } from '../../domain/intent.ts'
import { abortFor, type LifecycleCommand, type LiveState } from '../../domain/lifecycle.ts'
import type { SessionStatus } from '../../domain/record.ts'
import type { ClassifyResult } from '../../ports/model.ts'
/** What an action does to the session. */
export interface Steps {
  commands: LifecycleCommand[]
  /** Whether one of them records the user's message. */
  recordsMessage: boolean
}

/** The lifecycle commands of each action. */
export const STEPS: Record<Action, (message: string, state: LiveState) => Steps> = {
  answer: (text) => ({ commands: [{ do: 'answer', text }], recordsMessage: true }),
  interrupt_and_incorporate: (text) => ({
    commands: [
      { do: 'interrupt', text },
      { do: 'incorporate', note: text },
    ],
    recordsMessage: true,
  }),
  incorporate: (note) => ({ commands: [{ do: 'incorporate', note }], recordsMessage: false }),
  continue: (request) => ({ commands: [{ do: 'continueWith', request }], recordsMessage: true }),
  complete: () => ({ commands: [{ do: 'confirm' }], recordsMessage: false }),
  acknowledge: () => ({ commands: [], recordsMessage: false }),
  new_task: () => ({ commands: [abortFor('displaced')], recordsMessage: false }),
  abandon: () => ({ commands: [abortFor('abandoned')], recordsMessage: false }),
  // an open question is not replaced
  clarify: (_, state) => ({
    commands: state === 'running' ? [{ do: 'ask', question: SAY.clarify, cause: 'unclear' }] : [],
    recordsMessage: false,
  }),
}

/** What to tell the user. */
export const SAY: Record<Action | 'started', string> = {
  started: "I'll get started on that.",
  answer: "Thanks. I'll continue.",
  interrupt_and_incorporate: "Got it. I'll work that in and continue.",
  incorporate: "Got it. I'll work both in and continue.",
  continue: "I'll continue with that.",
  complete: 'The task is complete and saved. What would you like to do next?',
  acknowledge: 'Noted.',
  new_task: "I've saved the previous task and will start on the new one.",
  abandon: "I've stopped and saved what was done so far. What would you like to do next?",
  clarify: 'Is that part of the current task, or something new?',
}

/** Whether the open question is ours, about what the last message was meant for. */
export function isUnclear(status: SessionStatus): boolean {
  return status.state === 'awaiting_user' && status.cause === 'unclear'
}

/** How to classify the reply to our own question: the unclear message is part of the task, or something new. */
export function classifyReply(status: SessionStatus, reply: string): ClassifyResult | undefined {
  if (!isUnclear(status)) return undefined
  const isNew = /\b(new|different|another|separate|unrelated|something else)\b/i.test(reply)
  const isSame = /\b(same|current|belongs?|part of|this task|the task|continue|yes|yeah|yep)\b/i.test(reply)
  if (isNew === isSame) return undefined
  return { intent: isNew ? 'new_task' : 'response', by: 'rules', rule: 'reply to a clarification' }
}
