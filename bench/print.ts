import type { Outcome } from './goals.ts'
import { toldFailure } from './measure.ts'
import { labelOf, ratioOf, type Table } from './table.ts'

export function printTable(table: Table): void {
  const { id, title, store, by, unit } = table
  const figures = by === 'value' ? [unit ?? ''] : ['per second', 'p50 ms', 'p99 ms']
  const rows = table.rows.map((row) => {
    const { perSecond, p50, p99, value, fails, note } = row
    const ratio = ratioOf(table, row)
    return [
      labelOf(row),
      ...(by === 'value' ? [rounded(value)] : [whole(perSecond), milliseconds(p50), milliseconds(p99)]),
      ratio === undefined ? '' : ratio.toFixed(2),
      [fails === undefined ? '' : toldFailure(fails), note].filter(Boolean).join('; '),
    ]
  })
  const heading = `${title.startsWith(id) ? title : `${id} ${title}`} (${store})`
  print(heading, ['', ...figures, by === 'rate' ? '× rate' : by === 'time' ? '× time' : '×', ''], rows)
}

/** The goals that were measured. */
export function printGoals(outcomes: readonly Outcome[]): void {
  const measured = outcomes.filter(({ met }) => met !== undefined)
  if (measured.length === 0) return
  const rows = measured.map(({ line, store, goal, figure, met }) => [
    line,
    store,
    met ? 'met' : 'NOT MET',
    figure,
    goal,
  ])
  print('Goals', ['', '', '', '', ''], rows)
}

/** Columns side by side; figures to the right, the first and the last to the left. */
function print(heading: string, head: readonly string[], rows: readonly string[][]): void {
  const widths = head.map((cell, column) => Math.max(cell.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, i) =>
        /^[\d.,]*$|^×|^p\d|^per/.test(cell) ? cell.padStart(widths[i] ?? 0) : cell.padEnd(widths[i] ?? 0),
      )
      .join('  ')
      .trimEnd()
  console.log(`\n${heading}`)
  for (const cells of [head, ...rows]) if (cells.some((cell) => cell !== '')) console.log(`  ${line(cells)}`)
}

/** Three digits or so, and thousands in groups. */
export function rounded(value: number | undefined): string {
  if (value === undefined) return ''
  return value >= 100 ? whole(value) : value.toFixed(value >= 10 ? 1 : 2)
}

export function whole(value: number | undefined): string {
  return value === undefined ? '' : Math.round(value).toLocaleString('en')
}

export function milliseconds(latency: number | undefined): string {
  return latency === undefined ? '' : latency.toFixed(latency >= 10 ? 1 : 3)
}
