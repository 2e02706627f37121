import type { LIFECYCLE, LifecycleCommandName, SessionState } from '../../api/types.ts'

/** States in which a session takes events. */
export const LIVE_STATES = ['running', 'awaiting_user', 'interrupted', 'pending_complete'] as const

/** The state machine of the server. Its type is that of the server's own table, so the two cannot differ. */
export const TRANSITIONS: typeof LIFECYCLE = {
  ask: { from: ['running'], to: 'awaiting_user', note: 'question' },
  answer: { from: ['awaiting_user'], to: 'running', note: 'response' },
  interrupt: { from: ['running'], to: 'interrupted', note: 'intervention' },
  incorporate: { from: ['interrupted'], to: 'running', note: 'incorporation' },
  propose: { from: ['running'], to: 'pending_complete', note: 'proposal' },
  confirm: { from: ['pending_complete'], to: 'complete', note: 'confirmation' },
  continueWith: { from: ['pending_complete'], to: 'running', note: 'continuation' },
  abort: { from: LIVE_STATES, to: 'aborted', note: 'abort' },
  end: { from: LIVE_STATES, to: 'complete' },
}

/** Every command, in the order of the table. */
export const COMMANDS = Object.keys(TRANSITIONS) as LifecycleCommandName[]

/** Whether the command is allowed in that state. */
export function isAllowed(state: SessionState, command: LifecycleCommandName): boolean {
  return (TRANSITIONS[command].from as readonly SessionState[]).includes(state)
}

/** Whether a session in this state takes no more events. */
export function isFinal(state: SessionState): boolean {
  return !(LIVE_STATES as readonly SessionState[]).includes(state)
}

/**
 * The command that led from one state to another; a log holds the states alone. `byCaller` is what the status says of who
 * ended it, which tells `end` from `confirm`.
 */
export function commandBetween(
  from: SessionState,
  to: SessionState,
  byCaller: boolean,
): LifecycleCommandName | undefined {
  const fits = COMMANDS.filter((command) => TRANSITIONS[command].to === to && isAllowed(from, command))
  return fits.find((command) => (command === 'end') === byCaller)
}
