import type { BackfillReport } from '../../api.ts'
import { renderFittedTable } from '../fitted-table.ts'
import type { Output } from '../output.ts'
import { quoteForShell } from '../shell-quote.ts'
import { renderTable } from '../table.ts'
import { pluralize, sanitizeLine } from '../text.ts'

/** Problems that are shown; `--json` has the first hundred. */
const SHOWN = 10
/** As many as a report names: there may be more. */
const REPORTED = 100

/** What is not in the report. */
export interface BackfillContext {
  seconds: number
  /** Whether there is a cache to fill. */
  cache: boolean
  /** Whether it ended at `--limit`. */
  isPart: boolean
  /** What commands to copy need besides. */
  hint: readonly string[]
}

/** The report of a backfill for people: the counts, the first problems, and what to do next. */
export function formatBackfill(report: BackfillReport, around: BackfillContext, output: Output): string {
  const parts = [formatCounts(report, around, output), formatProblems(report, output), formatNextSteps(report, around)]
  return parts.filter((part) => part !== '').join('\n\n')
}

function formatCounts(report: BackfillReport, { seconds }: BackfillContext, { paint }: Output): string {
  const { batch, dryRun, sessions, failed } = report
  const number = (key: 'created' | 'updated' | 'unchanged' | 'kept' | 'failed') => report[key].toLocaleString('en')
  const rows = [
    ['batch', batch],
    ['read', pluralize(sessions, 'session')],
    [dryRun ? 'to create' : 'created', number('created')],
    [dryRun ? 'to update' : 'updated', number('updated')],
    ['unchanged', number('unchanged')],
    ['kept', number('kept')],
    ['failed', number('failed')],
    ['seconds', seconds.toFixed(1)],
  ] as const
  return renderTable(rows, [
    { value: ([label]) => label, paint: (text) => paint('bold', text) },
    {
      value: ([, value]) => value,
      paint: (text, [label]) => (label === 'failed' && failed > 0 ? paint('red', text) : text),
    },
  ])
}

/** Those that kept a session out come first. */
function formatProblems({ problems }: BackfillReport, { paint }: Output): string {
  if (problems.length === 0) return ''
  const sorted = problems.toSorted((a, b) => Number(b.failed) - Number(a.failed))
  const rows = renderFittedTable(
    sorted.slice(0, SHOWN),
    [
      { title: 'session', value: ({ sessionId }) => sessionId, maxWidth: 36 },
      {
        title: 'became',
        value: ({ failed }) => (failed ? 'failed' : 'mended'),
        paint: (text, { failed }) => (failed ? paint('red', text) : text),
      },
    ],
    { title: 'problem', value: ({ problem }) => problem },
  )
  const more = problems.length - SHOWN
  if (more <= 0) return rows
  const least = problems.length < REPORTED ? '' : 'at least '
  return `${rows}\nand ${least}${more} more; --json names the first ${REPORTED}`
}

function formatNextSteps(
  { batch, dryRun, created, updated, last }: BackfillReport,
  { cache, isPart, hint }: BackfillContext,
): string {
  const goOn =
    isPart && last !== undefined ? [`To go on: the same with --after ${quoteForShell(sanitizeLine(last))}`] : []
  if (dryRun) return ['A dry run: nothing was written.', ...goOn].join('\n')
  if (created + updated === 0) return goOn.join('\n')
  const undo = `To take its envelopes out of the store again: throughline rollback --batch ${quoteForShell(sanitizeLine(batch))}`
  const warm = cache ? ['To warm the cache: throughline warm'] : []
  return [...goOn, undo, ...warm, ...hint].join('\n')
}
