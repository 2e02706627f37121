import type { BackfillReport } from '../../api.ts'
import { fittedTable } from '../fitted-table.ts'
import type { Output } from '../output.ts'
import { shellWord } from '../shell.ts'
import { table } from '../table.ts'
import { counted, printable } from '../text.ts'

/** Problems that are shown; `--json` has the first hundred. */
const SHOWN = 10
/** As many as a report names: there may be more. */
const NAMED = 100

/** What is not in the report. */
export interface Around {
  seconds: number
  /** Whether there is a cache to fill. */
  cache: boolean
  /** Whether it ended at `--limit`. */
  isPart: boolean
  /** What commands to copy need besides. */
  hint: readonly string[]
}

/** The report of a backfill for people: the counts, the first problems, and what to do next. */
export function backfillText(report: BackfillReport, around: Around, output: Output): string {
  const parts = [countsText(report, around, output), problemsText(report, output), nextText(report, around)]
  return parts.filter((part) => part !== '').join('\n\n')
}

function countsText(report: BackfillReport, { seconds }: Around, { paint }: Output): string {
  const { batch, dryRun, sessions, failed } = report
  const number = (key: 'created' | 'updated' | 'unchanged' | 'kept' | 'failed') => report[key].toLocaleString('en')
  const rows = [
    ['batch', batch],
    ['read', counted(sessions, 'session')],
    [dryRun ? 'to create' : 'created', number('created')],
    [dryRun ? 'to update' : 'updated', number('updated')],
    ['unchanged', number('unchanged')],
    ['kept', number('kept')],
    ['failed', number('failed')],
    ['seconds', seconds.toFixed(1)],
  ] as const
  return table(rows, [
    { value: ([label]) => label, paint: (text) => paint('bold', text) },
    {
      value: ([, value]) => value,
      paint: (text, [label]) => (label === 'failed' && failed > 0 ? paint('red', text) : text),
    },
  ])
}

/** Those that kept a session out come first. */
function problemsText({ problems }: BackfillReport, { paint }: Output): string {
  if (problems.length === 0) return ''
  const sorted = problems.toSorted((a, b) => Number(b.failed) - Number(a.failed))
  const rows = fittedTable(
    sorted.slice(0, SHOWN),
    [
      { title: 'session', value: ({ sessionId }) => sessionId, width: 36 },
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
  const least = problems.length < NAMED ? '' : 'at least '
  return `${rows}\nand ${least}${more} more; --json names the first ${NAMED}`
}

function nextText({ batch, dryRun, created, updated, last }: BackfillReport, { cache, isPart, hint }: Around): string {
  const goOn = isPart && last !== undefined ? [`To go on: the same with --after ${shellWord(printable(last))}`] : []
  if (dryRun) return ['A dry run: nothing was written.', ...goOn].join('\n')
  if (created + updated === 0) return goOn.join('\n')
  const undo = `To take its envelopes out of the store again: throughline rollback --batch ${shellWord(printable(batch))}`
  const warm = cache ? ['To warm the cache: throughline warm'] : []
  return [...goOn, undo, ...warm, ...hint].join('\n')
}
