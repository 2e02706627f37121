import { z } from 'zod'
import type { Difference, VerifyReport } from '../../api.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { withProgress } from '../progress.ts'
import { table } from '../table.ts'
import { withStore } from '../target.ts'
import { counted } from '../text.ts'

const verifyInput = z.strictObject({ session: z.string().optional() })

export const verifyCommand: Command = {
  usage: 'verify [session]',
  summary: 'compare what is stored about sessions with their logs',
  more: `Changes nothing, and may run while others write. Leaves with ${EXIT.found} if it finds a difference.`,

  async run(input, { target, output }) {
    const { session } = parse(verifyInput, input)
    const report = await withStore(target, (tl) =>
      withProgress('verifying:', (onProgress) => tl.verify(session, { onProgress })),
    )
    output.print(reportText(report, output), report)
    return report.differences.length === 0 ? EXIT.ok : EXIT.found
  },
}

function reportText({ sessions, events, differences }: VerifyReport, { paint }: Output): string {
  const seen = `${counted(sessions, 'session')}, ${counted(events, 'event')}`
  if (differences.length === 0) return `${paint('green', 'ok')}  ${seen}: all that is stored is what the logs say`

  const damaged = new Set(differences.map(({ sessionId }) => sessionId)).size
  const advice = differences.some(({ field }) => field === 'log')
    ? 'The log itself is damaged where the field is log: restore a backup.'
    : 'To repair: throughline rebuild'
  const rows = table(differences, [
    { title: 'session', value: ({ sessionId }) => sessionId },
    { title: 'field', value: ({ field }) => field },
    { title: 'expected', value: (difference) => leaf(difference, 'expected'), width: 32 },
    {
      title: 'actual',
      value: (difference) => leaf(difference, 'actual'),
      paint: (text) => paint('red', text),
      width: 32,
    },
  ])
  return `${rows}\n\n${counted(differences.length, 'difference')} in ${damaged} of ${seen}. ${advice}`
}

function leaf(difference: Difference, side: 'expected' | 'actual'): string {
  return JSON.stringify(difference[side]) ?? '(nothing)'
}
