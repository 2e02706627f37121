import { z } from 'zod'
import type { Difference, VerifyReport } from '../../api.ts'
import { reportCommand } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import type { Output } from '../output.ts'
import { countSessions, sessionProgress } from '../progress.ts'
import { renderTable } from '../table.ts'
import { pluralize } from '../text.ts'

export const verifyCommand = reportCommand({
  usage: 'verify [session]',
  summary: 'check the logs, and compare stored session data with them',
  more: `Read-only, and safe while others write. Exits with ${EXIT.found} if it finds a difference.`,
  input: z.strictObject({ session: z.string().optional() }),

  work: (tl, { session }, show) => tl.verify(session, { onProgress: sessionProgress(show, 'verifying:') }),
  format: formatReport,
  exitCode: ({ differences }) => (differences.length === 0 ? EXIT.ok : EXIT.found),
})

function formatReport(report: VerifyReport, { paint }: Output): string {
  const { differences } = report
  const seen = countSessions(report)
  if (differences.length === 0) return `${paint('green', 'ok')}  ${seen}: no differences`

  const damaged = new Set(differences.map(({ sessionId }) => sessionId)).size
  const advice = differences.some(({ field }) => /^log\b/.test(field))
    ? 'Where the field begins with log, the log itself is damaged: restore a backup. `rebuild` leaves such sessions alone.'
    : 'To repair: throughline rebuild'
  const rows = renderTable(differences, [
    { title: 'session', value: ({ sessionId }) => sessionId },
    { title: 'field', value: ({ field, sequence }) => (sequence === undefined ? field : `${field} of ${sequence}`) },
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
