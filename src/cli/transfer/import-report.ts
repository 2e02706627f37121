import type { ImportReport } from '../../api.ts'
import type { Output } from '../output.ts'
import { renderTable } from '../table.ts'
import { pluralize } from '../text.ts'

/** Sessions that were refused which are shown to people. */
const SHOWN = 10

/** The report of an import for people: the counts, and what was refused. */
export function formatImport(report: ImportReport & { seconds: number }, { paint }: Output): string {
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
  const counts = renderTable(rows, [
    { value: ([label]) => label, paint: (text) => paint('bold', text) },
    {
      value: ([, value]) => value,
      paint: (text, [label]) => (label === 'refused' && refused.length > 0 ? paint('red', text) : text),
    },
  ])
  if (refused.length === 0) return counts
  const listed = renderTable(refused.slice(0, SHOWN), [
    { title: 'refused', value: ({ sessionId }) => sessionId },
    { title: 'code', value: ({ code }) => code },
    { title: 'reason', value: ({ message }) => message },
  ])
  const more = refused.length - SHOWN
  return `${counts}\n\n${listed}${more > 0 ? `\nand ${number(more)} more; --json names them all` : ''}`
}
