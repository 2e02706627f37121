import { z } from 'zod'
import type { Intake, IntakeStatus } from '../../api.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command, CommandGroup } from '../command.ts'
import type { Output } from '../output.ts'
import { withStore } from '../target.ts'

export const intakeCommands: CommandGroup = {
  name: 'intake',
  summary: 'whether new sessions are taken: status, pause, resume',
  commands: [
    intakeCommand('status', 'say whether new sessions are taken', ['Example: throughline intake status']),
    intakeCommand('pause', 'take no new sessions, in every process on this store', [
      'Sessions that are there go on. Safe to run again.',
      '',
      'Example: throughline intake pause',
      'To undo: throughline intake resume',
    ]),
    intakeCommand('resume', 'take new sessions again', [
      'Safe to run again.',
      '',
      'Example: throughline intake resume',
    ]),
  ],
}

const intakeInput = z.strictObject({})

function intakeCommand(call: keyof Intake, summary: string, more: readonly string[]): Command {
  return {
    usage: call,
    summary,
    more: more.join('\n'),
    async run(input, { target, output }) {
      parse(intakeInput, input)
      const status = await withStore(target, ({ intake }) => intake[call]())
      output.print(formatStatus(status, output), status)
      return undefined
    },
  }
}

function formatStatus({ paused, since }: IntakeStatus, { paint }: Output): string {
  if (!paused) return `${paint('green', 'open')}  new sessions are taken`
  return `${paint('yellow', 'paused')}  no new sessions are taken since ${since}; to take them again: throughline intake resume`
}
