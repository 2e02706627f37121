import type { SessionState } from '../../domain/record.ts'
import type { Style } from '../output.ts'

/** Color of each state. Sessions that wait for the user stand out. */
export const STATE_STYLE: Readonly<Record<SessionState, Style>> = {
  running: 'green',
  awaiting_user: 'yellow',
  interrupted: 'magenta',
  pending_complete: 'cyan',
  complete: 'dim',
  aborted: 'red',
}
