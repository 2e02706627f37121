import { InvalidTransitionError } from './errors.ts'
import { defined } from './optional.ts'
import { type AbortCause, SESSION_STATES, type SessionState, type SessionStatus } from './record.ts'

/** States in which a session accepts events. */
export const LIVE_STATES = [
  'running',
  'awaiting_user',
  'interrupted',
  'pending_complete',
] as const satisfies readonly SessionState[]

/** One of {@link LIVE_STATES}. */
export type LiveState = (typeof LIVE_STATES)[number]

/** Subject of a transition's note. */
export type NoteKind =
  | 'question'
  | 'response'
  | 'intervention'
  | 'incorporation'
  | 'proposal'
  | 'confirmation'
  | 'continuation'
  | 'abort'

/** A command that changes a session's status. */
export type LifecycleCommand =
  | { do: 'ask'; question: string; cause?: 'unclear' }
  | { do: 'answer'; text: string }
  | { do: 'interrupt'; text: string }
  | { do: 'incorporate'; note?: string | undefined }
  | { do: 'propose'; summary: string }
  | { do: 'confirm' }
  | { do: 'continueWith'; request: string }
  | { do: 'abort'; reason: string; cause?: AbortCause }
  | { do: 'end' }

/** Name of a {@link LifecycleCommand}. */
export type LifecycleCommandName = LifecycleCommand['do']

interface Transition {
  readonly from: readonly LiveState[]
  readonly to: SessionState
  /** Kind of the note written with it. */
  readonly note?: NoteKind
}

/** The state machine; every other transition is refused. No row leaves a final state. */
export const LIFECYCLE = {
  ask: { from: ['running'], to: 'awaiting_user', note: 'question' },
  answer: { from: ['awaiting_user'], to: 'running', note: 'response' },
  interrupt: { from: ['running'], to: 'interrupted', note: 'intervention' },
  incorporate: { from: ['interrupted'], to: 'running', note: 'incorporation' },
  propose: { from: ['running'], to: 'pending_complete', note: 'proposal' },
  confirm: { from: ['pending_complete'], to: 'complete', note: 'confirmation' },
  continueWith: { from: ['pending_complete'], to: 'running', note: 'continuation' },
  abort: { from: LIVE_STATES, to: 'aborted', note: 'abort' },
  end: { from: LIVE_STATES, to: 'complete' },
} as const satisfies Readonly<Record<LifecycleCommandName, Transition>>

/** Texts for people; rules use only the cause. */
const ABORT_REASONS: Readonly<Record<AbortCause, string>> = {
  expired: 'Session expired',
  declined: 'User chose not to continue',
  displaced: 'Interrupted by new task',
  abandoned: 'Abandoned by user',
  parent_ended: 'Parent session ended',
}

/** Builds the command that aborts a session for this cause. */
export function abortFor(cause: AbortCause): LifecycleCommand & { do: 'abort' } {
  return { do: 'abort', reason: ABORT_REASONS[cause], cause }
}

/** Whether the command is allowed in that state. */
export function isAllowed(state: SessionState, command: LifecycleCommandName): boolean {
  const { from }: Transition = LIFECYCLE[command]
  return (from as readonly SessionState[]).includes(state)
}

/**
 * Returns the status after a command at the time `at`. Throws `InvalidTransitionError`, naming `sessionId`, for a
 * transition that the table does not have.
 */
export function nextStatus(
  status: SessionStatus,
  command: LifecycleCommand,
  at: string,
  sessionId: string,
): SessionStatus {
  const { state } = status
  if (!isAllowed(state, command.do)) throw new InvalidTransitionError({ sessionId, state, command: command.do })
  switch (command.do) {
    case 'ask':
      return defined({ state: LIFECYCLE.ask.to, question: command.question, askedAt: at, cause: command.cause })
    case 'interrupt':
      return { state: LIFECYCLE.interrupt.to, userMessage: command.text }
    case 'propose':
      return { state: LIFECYCLE.propose.to, summary: command.summary }
    case 'abort':
      return defined({ state: LIFECYCLE.abort.to, reason: command.reason, cause: command.cause })
    case 'end':
      return { state: LIFECYCLE.end.to, endedBy: 'caller' }
    case 'answer':
    case 'incorporate':
    case 'confirm':
    case 'continueWith':
      return { state: LIFECYCLE[command.do].to }
  }
}

/** Returns the note of a command; none for `end`, which the status itself records. */
export function noteOf(command: LifecycleCommand): { about: NoteKind; text: string } | undefined {
  const { note }: Transition = LIFECYCLE[command.do]
  return note && { about: note, text: textOf(command) }
}

function textOf(command: LifecycleCommand): string {
  switch (command.do) {
    case 'ask':
      return command.question
    case 'answer':
    case 'interrupt':
      return command.text
    case 'incorporate':
      return command.note ?? 'The agent acted on the interruption'
    case 'propose':
      return command.summary
    case 'confirm':
      return 'The user confirmed that the task is complete'
    case 'continueWith':
      return command.request
    case 'abort':
      return command.reason
    case 'end':
      return ''
  }
}

/** Prints the table as a Mermaid state diagram; each arrow is labelled with its calls. */
export function lifecycleDiagram(): string {
  const arrows = LIVE_STATES.flatMap((from) => SESSION_STATES.flatMap((to) => arrow(from, to, callsBetween(from, to))))
  const ends = SESSION_STATES.filter((state) => !(LIVE_STATES as readonly SessionState[]).includes(state))
  const lines = ['[*] --> running: create()', ...arrows, ...ends.map((state) => `${state} --> [*]`)]
  return ['stateDiagram-v2', ...lines.map((line) => `  ${line}`), ''].join('\n')
}

function callsBetween(from: LiveState, to: SessionState): string[] {
  const commands = Object.keys(LIFECYCLE) as LifecycleCommandName[]
  return commands
    .filter((command) => LIFECYCLE[command].to === to && isAllowed(from, command))
    .map((name) => `${name}()`)
}

function arrow(from: string, to: string, calls: readonly string[]): string[] {
  return calls.length === 0 ? [] : [`${from} --> ${to}: ${calls.join(', ')}`]
}
