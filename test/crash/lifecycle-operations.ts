import type { Session, WriteOptions } from '../../src/index.ts'

/** The key of each operation, also when it is repeated after the crash. */
export const KEY = 'once'

export const QUESTION = 'Which of the two parsers?'
export const SUMMARY = 'The parser is in, with its tests.'

/** A lifecycle call, and the state that allows it. */
export interface Operation {
  /** Brings a running session into a state that allows the call. */
  before?(session: Session): Promise<unknown>
  call(session: Session, options?: WriteOptions): Promise<unknown>
  /** What it appends besides work and status; absent for `compact`, which takes no step. */
  step?: {
    /** The status it leads to, without the time of the question. */
    status: Record<string, string>
    /** Kind and text of its note. */
    note: [kind: string, text: string]
    /** The message that it adds to the conversation. */
    said?: [type: 'user_message' | 'model_message', content: string]
  }
  /** Whether a commit follows. */
  commits?: boolean
}

export const OPERATIONS: Record<string, Operation> = {
  ask: {
    call: (session, options) => session.ask(QUESTION, options),
    step: {
      status: { state: 'awaiting_user', question: QUESTION },
      note: ['question', QUESTION],
      said: ['model_message', QUESTION],
    },
  },
  answer: {
    before: (session) => session.ask(QUESTION),
    call: (session, options) => session.answer('The second.', options),
    step: { status: { state: 'running' }, note: ['response', 'The second.'], said: ['user_message', 'The second.'] },
  },
  interrupt: {
    call: (session, options) => session.interrupt('Wait.', options),
    step: {
      status: { state: 'interrupted', userMessage: 'Wait.' },
      note: ['intervention', 'Wait.'],
      said: ['user_message', 'Wait.'],
    },
  },
  incorporate: {
    before: (session) => session.interrupt('Wait.'),
    call: (session, options) => session.incorporate('I waited.', options),
    step: { status: { state: 'running' }, note: ['incorporation', 'I waited.'] },
  },
  propose: {
    call: (session, options) => session.propose(SUMMARY, options),
    step: {
      status: { state: 'pending_complete', summary: SUMMARY },
      note: ['proposal', SUMMARY],
      said: ['model_message', SUMMARY],
    },
  },
  continueWith: {
    before: (session) => session.propose(SUMMARY),
    call: (session, options) => session.continueWith('And the docs.', options),
    step: {
      status: { state: 'running' },
      note: ['continuation', 'And the docs.'],
      said: ['user_message', 'And the docs.'],
    },
  },
  confirm: {
    before: (session) => session.propose(SUMMARY),
    call: (session, options) => session.confirm(options),
    step: { status: { state: 'complete' }, note: ['confirmation', 'The user confirmed that the task is complete'] },
    commits: true,
  },
  abort: {
    before: (session) => session.ask(QUESTION),
    call: (session, options) => session.abort('Enough.', options),
    step: { status: { state: 'aborted', reason: 'Enough.' }, note: ['abort', 'Enough.'] },
    commits: true,
  },
  compact: {
    before: (session) => session.end(),
    call: (session, options) => session.compact(undefined, options),
    commits: true,
  },
}
