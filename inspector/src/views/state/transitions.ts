import type { LifecycleCommandName, SessionState } from '../../api/types.ts'
import { isAllowed, LIFECYCLE } from '../../domain.ts'

/** Every command, in the order of the table. */
export const COMMANDS = Object.keys(LIFECYCLE) as LifecycleCommandName[]

/**
 * The command that led from one state to another: the log holds only states. `byCaller` tells `end` from `confirm`; the
 * status says who ended the session.
 */
export function commandBetween(
  from: SessionState,
  to: SessionState,
  byCaller: boolean,
): LifecycleCommandName | undefined {
  const candidates = COMMANDS.filter((command) => LIFECYCLE[command].to === to && isAllowed(from, command))
  return candidates.find((command) => (command === 'end') === byCaller)
}
