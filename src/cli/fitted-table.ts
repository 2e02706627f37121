import { lineWidth } from './line-width.ts'
import { type Column, gridOf, lineOf, widthsOf } from './table.ts'

export { lineWidth } from './line-width.ts'

/** A column that may have to go. */
export interface SpareColumn<Row> extends Column<Row> {
  /** Goes when the line has no room for all; the greatest number first. One without stays. */
  spare?: number
}

/** A table that was fitted to the line, to be drawn a part at a time. */
export interface FittedTable<Row> {
  /** Line with the titles, if there are any. */
  readonly head: string[]
  lines(rows: readonly Row[]): string[]
}

/** Below this many columns a text says nothing. */
const LEAST = 20

/** A table whose last column, of text, takes what the others leave of the line. */
export function fittedTable<Row>(
  rows: readonly Row[],
  columns: readonly SpareColumn<Row>[],
  text: Column<Row>,
): string {
  const { head, lines } = fitted(rows, columns, text)
  return [...head, ...lines(rows)].join('\n')
}

/**
 * Fits a table to the line by the rows given; those that follow keep to it. Where there is no room, spare columns go, and if that is not
 * enough, the text gets a line of its own below the others.
 */
export function fitted<Row>(
  rows: readonly Row[],
  columns: readonly SpareColumn<Row>[],
  text: Column<Row>,
): FittedTable<Row> {
  const room = lineWidth()
  const { kept, widths } = keptOf(rows, columns, room)
  const others = widths.reduce((sum, width) => sum + width + 2, 0)
  if (room - others < LEAST) return twoLined(kept, widths, text, room)

  // a number that was cut would be another number: it rather pushes the others
  const cut = kept.map((column, i) => (column.align === 'right' ? column : { ...column, width: widths[i] ?? 0 }))
  const all: Column<Row>[] = [...cut, { ...text, width: room - others }]
  const [titles] = titlesOf(all)
  return {
    head: titles === undefined ? [] : [lineOf(titles, all, widths)],
    lines: (some) => gridOf(some, all).map((cells, r) => lineOf(cells, all, widths, some[r])),
  }
}

/** The columns that there is room for beside a text. */
function keptOf<Row>(rows: readonly Row[], columns: readonly SpareColumn<Row>[], room: number) {
  const grid = [...titlesOf(columns), ...gridOf(rows, columns)]
  const widths = widthsOf(grid, columns.length)
  const all = columns.map((column, i) => ({ column, width: Math.max(widths[i] ?? 0, column.least ?? 0) }))
  const needed = (some: typeof all) => some.reduce((sum, { width }) => sum + width + 2, LEAST)
  let kept = all
  while (needed(kept) > room) {
    const most = Math.max(...kept.map(({ column: { spare = 0 } }) => spare))
    if (most === 0) break
    kept = kept.filter(({ column: { spare = 0 } }) => spare !== most)
  }
  return { kept: kept.map(({ column }) => column), widths: kept.map(({ width }) => width) }
}

/** Two lines for each row, and no titles: they would stand above something else. */
function twoLined<Row>(
  columns: readonly Column<Row>[],
  widths: readonly number[],
  text: Column<Row>,
  room: number,
): FittedTable<Row> {
  const below = { ...text, width: Math.max(LEAST, room) - 2 }
  const linesOf = (row: Row): string[] => {
    const [cells = []] = gridOf([row], columns)
    const [[cell = ''] = []] = gridOf([row], [below])
    const first = lineOf(cells, columns, widths, row).trimEnd()
    return cell === '' ? [first] : [first, `  ${text.paint?.(cell, row) ?? cell}`]
  }
  return { head: [], lines: (some) => some.flatMap(linesOf) }
}

function titlesOf<Row>(columns: readonly Column<Row>[]): string[][] {
  return columns.some(({ title }) => title !== undefined) ? [columns.map(({ title = '' }) => title)] : []
}
