import type { GoalResult } from './goals.ts'
import { describeFailure } from './measure.ts'
import { labelOf, ratioOf, type Table } from './table.ts'

export function printTable(table: Table): void {
  const { id, title, store, by, unit } = table
  const more = Object.keys(table.rows[0]?.columns ?? {})
  const figures = [...(by === 'value' ? [unit ?? ''] : ['per second', 'p50 ms', 'p99 ms']), ...more]
  const rows = table.rows.map((row) => {
    const { perSecond, p50, p99, value, columns, fails, note } = row
    const ratio = ratioOf(table, row)
    return [
      labelOf(row),
      ...(by === 'value'
        ? [formatRounded(value)]
        : [formatInteger(perSecond), formatMilliseconds(p50), formatMilliseconds(p99)]),
      ...more.map((title) => formatColumn(columns?.[title])),
      ratio === undefined ? '' : ratio.toFixed(2),
      [fails === undefined ? '' : describeFailure(fails), note].filter(Boolean).join('; '),
    ]
  })
  const heading = `${title.startsWith(id) ? title : `${id} ${title}`} (${store})`
  print(heading, ['', ...figures, by === 'rate' ? '× rate' : by === 'time' ? '× time' : '×', ''], rows)
}

/** The goals that were measured. */
export function printGoals(outcomes: readonly GoalResult[]): void {
  const measured = outcomes.filter(({ met }) => met !== undefined)
  if (measured.length === 0) return
  const rows = measured.map(({ line, store, goal, figure, met }) => [
    line,
    store,
    met ? 'met' : 'NOT MET',
    goal,
    figure,
  ])
  print('Goals', ['line', 'store', '', 'goal', 'measured'], rows)
}

/** Prints aligned columns, figures to the right. */
function print(heading: string, head: readonly string[], rows: readonly string[][]): void {
  const columns = head.map((title, i) => {
    const cells = rows.map((row) => row[i] ?? '')
    const width = Math.max(title.length, ...cells.map(({ length }) => length))
    return { width, right: cells.every((cell) => /^[\d.,]*$/.test(cell)) }
  })
  const padded = (cells: readonly string[]) =>
    columns.map(({ width, right }, i) => (right ? cells[i]?.padStart(width) : cells[i]?.padEnd(width)))
  console.log(`\n${heading}`)
  for (const cells of [head, ...rows]) console.log(`  ${padded(cells).join('  ').trimEnd()}`)
}

/** About three digits, with grouped thousands. */
export function formatRounded(value: number | undefined): string {
  if (value === undefined) return ''
  return value >= 100 ? formatInteger(value) : value.toFixed(value >= 10 ? 1 : 2)
}

function formatColumn(value: number | undefined): string {
  return Number.isInteger(value) ? formatInteger(value) : formatRounded(value)
}

export function formatInteger(value: number | undefined): string {
  return value === undefined ? '' : Math.round(value).toLocaleString('en')
}

export function formatMilliseconds(latency: number | undefined): string {
  return latency === undefined ? '' : latency.toFixed(latency >= 10 ? 1 : 3)
}
