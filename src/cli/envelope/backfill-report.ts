import type { BackfillReport } from '../../api.ts'
import { renderFittedTable } from '../fitted-table.ts'
import type { Output } from '../output.ts'
import { quoteForShell } from '../shell-quote.ts'
import { renderFacts } from '../table.ts'
import { pluralize, sanitizeLine } from '../text.ts'

/** Maximum number of problems to print. */
const SHOWN = 10
/** Maximum number of problems in a report. */
const REPORTED = 100

/** Facts that are not in the report. */
export interface BackfillContext {
  seconds: number
  /** Whether there is a cache to fill. */
  cache: boolean
  /** Whether `--limit` ended it. */
  isPart: boolean
  /** Options that the printed commands need. */
  hint: readonly string[]
}

/** Formats the report of a backfill: counts, first problems and next steps. */
export function formatBackfill(report: BackfillReport, around: BackfillContext, output: Output): string {
  const parts = [formatCounts(report, around, output), formatProblems(report, output), formatNextSteps(report, around)]
  return parts.filter((part) => part !== '').join('\n\n')
}

function formatCounts(report: BackfillReport, { seconds }: BackfillContext, output: Output): string {
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
  return renderFacts(rows, output, failed > 0 ? 'failed' : undefined)
}

/** Problems that failed a session come first. */
function formatProblems({ problems }: BackfillReport, { paint }: Output): string {
  if (problems.length === 0) return ''
  const sorted = problems.toSorted((a, b) => Number(b.failed) - Number(a.failed))
  const rows = renderFittedTable(
    sorted.slice(0, SHOWN),
    [
      { title: 'session', value: ({ sessionId }) => sessionId, maxWidth: 36 },
      {
        title: 'outcome',
        value: ({ failed }) => (failed ? 'failed' : 'repaired'),
        paint: (text, { failed }) => (failed ? paint('red', text) : text),
      },
    ],
    { title: 'problem', value: ({ problem }) => problem },
  )
  const more = problems.length - SHOWN
  if (more <= 0) return rows
  const least = problems.length < REPORTED ? '' : 'at least '
  return `${rows}\nand ${least}${more} more; --json lists the first ${REPORTED}`
}

function formatNextSteps(
  { batch, dryRun, created, updated, last }: BackfillReport,
  { cache, isPart, hint }: BackfillContext,
): string {
  const goOn =
    isPart && last !== undefined ? [`To continue: repeat with --after ${quoteForShell(sanitizeLine(last))}`] : []
  if (dryRun) return ['Dry run: nothing was written.', ...goOn].join('\n')
  if (created + updated === 0) return goOn.join('\n')
  const undo = `To undo: throughline rollback --batch ${quoteForShell(sanitizeLine(batch))}`
  const warm = cache ? ['To warm the cache: throughline warm'] : []
  return [...goOn, undo, ...warm, ...hint].join('\n')
}
