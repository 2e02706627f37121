import { z } from 'zod'
import type { RebuildReport } from '../../api.ts'
import { reportCommand } from '../command.ts'
import type { Output } from '../output.ts'
import { countSessions, sessionProgress } from '../progress.ts'

/** Maximum number of ids to print. */
const SHOWN = 10

export const rebuildCommand = reportCommand({
  usage: 'rebuild [session]',
  summary: 'repair stored session data from the logs',
  more: 'Changes only sessions that differ from their log. Safe while others write.',
  input: z.strictObject({ session: z.string().optional() }),

  work: (tl, { session }, show) => tl.rebuild(session, { onProgress: sessionProgress(show, 'rebuilding:') }),
  format: formatReport,
})

function formatReport(report: RebuildReport, { paint }: Output): string {
  const { repaired } = report
  const seen = countSessions(report)
  if (repaired.length === 0) return `${paint('green', 'ok')}  ${seen}: nothing to repair`
  const ids = repaired.slice(0, SHOWN).map((id) => `  ${id}`)
  const more = repaired.length - ids.length
  const rest = more === 0 ? [] : [`  and ${more.toLocaleString('en')} more; --json lists all`]
  return [`repaired ${repaired.length.toLocaleString('en')} of ${seen}:`, ...ids, ...rest].join('\n')
}
