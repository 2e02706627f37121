import type { Intake, IntakeStatus } from '../../api.ts'
import { type Command, type CommandGroup, reportCommand } from '../command.ts'
import type { Output } from '../output.ts'

export const intakeCommands: CommandGroup = {
  name: 'intake',
  summary: 'pause and resume the creation of sessions: status, pause, resume',
  commands: [
    intakeCommand('status', 'show whether new sessions are accepted', ['Example: throughline intake status']),
    intakeCommand('pause', 'stop accepting new sessions, in every process on this store', [
      'Existing sessions continue. Safe to repeat.',
      '',
      'Example: throughline intake pause',
      'To undo: throughline intake resume',
    ]),
    intakeCommand('resume', 'accept new sessions again', ['Safe to repeat.', '', 'Example: throughline intake resume']),
  ],
}

function intakeCommand(call: keyof Intake, summary: string, more: readonly string[]): Command {
  return reportCommand({
    usage: call,
    summary,
    more: more.join('\n'),
    work: ({ intake }) => intake[call](),
    format: formatStatus,
  })
}

function formatStatus({ paused, since }: IntakeStatus, { paint }: Output): string {
  if (!paused) return `${paint('green', 'open')}  new sessions are accepted`
  return `${paint('yellow', 'paused')}  no new sessions since ${since}. To accept them again: throughline intake resume`
}
