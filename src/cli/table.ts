import { clipped, printable } from './text.ts'

export interface Column<Row> {
  /** Give one to all columns, or to none. */
  title?: string
  value: (row: Row) => string
  /** Longer values are cut. */
  width?: number
  /** Colours what `value` gave, after it was padded. */
  paint?: (text: string, row: Row) => string
}

/** Rows for people, in columns as wide as they need to be. */
export function table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const grid = rows.map((row) =>
    columns.map(({ value, width = Number.POSITIVE_INFINITY }) => clipped(printable(value(row)), width)),
  )
  const titles = columns.some(({ title }) => title !== undefined) ? [columns.map(({ title = '' }) => title)] : []
  const widths = columns.map((_, i) =>
    [...titles, ...grid].reduce((max, cells) => Math.max(max, cells[i]?.length ?? 0), 0),
  )
  const pad = (text: string, i: number) => (i === columns.length - 1 ? text : text.padEnd(widths[i] ?? 0))

  const head = titles.map((cells) => cells.map(pad).join('  '))
  const body = rows.map((row, r) =>
    columns.map(({ paint = (text) => text }, i) => paint(pad(grid[r]?.[i] ?? '', i), row)).join('  '),
  )
  return [...head, ...body].join('\n')
}
