import type { ImportReport } from '../../api.ts'
import type { Output } from '../output.ts'
import { renderFacts, renderTable } from '../table.ts'
import { pluralize } from '../text.ts'

/** Maximum number of refused sessions to print. */
const SHOWN = 10

/** Formats the report of an import: counts and refused sessions. */
export function formatImport(report: ImportReport & { seconds: number }, output: Output): string {
  const { sessions, created, extended, unchanged, events, refused, seconds } = report
  const number = (count: number) => count.toLocaleString('en')
  const rows = [
    ['sessions', number(sessions)],
    ['created', number(created)],
    ['extended', number(extended)],
    ['unchanged', number(unchanged)],
    ['refused', number(refused.length)],
    ['written', pluralize(events, 'event')],
    ['seconds', seconds.toFixed(1)],
  ] as const
  const counts = renderFacts(rows, output, refused.length > 0 ? 'refused' : undefined)
  if (refused.length === 0) return counts
  const listed = renderTable(refused.slice(0, SHOWN), [
    { title: 'refused', value: ({ sessionId }) => sessionId },
    { title: 'code', value: ({ code }) => code },
    { title: 'reason', value: ({ message }) => message },
  ])
  const more = refused.length - SHOWN
  return `${counts}\n\n${listed}${more > 0 ? `\nand ${number(more)} more; --json lists all` : ''}`
}
