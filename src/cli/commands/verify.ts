import { z } from 'zod'
import type { Difference, VerifyReport } from '../../api.ts'
import { parse } from '../../features/kernel/parse.ts'
import type { Command } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { withSessionProgress } from '../progress.ts'
import { renderTable } from '../table.ts'
import { withStore } from '../target.ts'
import { pluralize } from '../text.ts'

const verifyInput = z.strictObject({ session: z.string().optional() })

export const verifyCommand: Command = {
  usage: 'verify [session]',
  summary: 'compare stored session data with the logs',
  more: [`Read-only, and safe while others write. Exits with ${EXIT.found} if it finds a difference.`].join('\n'),

  async run(input, { target, output }) {
    const { session } = parse(verifyInput, input)
    const report = await withStore(target, (tl) =>
      withSessionProgress('verifying:', (onProgress) => tl.verify(session, { onProgress })),
    )
    output.print(formatReport(report, output), report)
    return report.differences.length === 0 ? EXIT.ok : EXIT.found
  },
}

function formatReport({ sessions, events, differences }: VerifyReport, { paint }: Output): string {
  const seen = `${pluralize(sessions, 'session')}, ${pluralize(events, 'event')}`
  if (differences.length === 0) return `${paint('green', 'ok')}  ${seen}: no differences`

  const damaged = new Set(differences.map(({ sessionId }) => sessionId)).size
  const advice = differences.some(({ field }) => field === 'log')
    ? 'Where the field is log, the log itself is damaged: restore a backup.'
    : 'To repair: throughline rebuild'
  const rows = renderTable(differences, [
    { title: 'session', value: ({ sessionId }) => sessionId },
    { title: 'field', value: ({ field }) => field },
    { title: 'expected', value: (difference) => formatValue(difference, 'expected'), maxWidth: 32 },
    {
      title: 'actual',
      value: (difference) => formatValue(difference, 'actual'),
      paint: (text) => paint('red', text),
      maxWidth: 32,
    },
  ])
  return `${rows}\n\n${pluralize(differences.length, 'difference')} in ${damaged} of ${seen}. ${advice}`
}

function formatValue(difference: Difference, side: 'expected' | 'actual'): string {
  return JSON.stringify(difference[side]) ?? '(nothing)'
}
