import { lineWidth } from './line-width.ts'
import { type Column, measureColumns, renderCells, renderRow } from './table.ts'

export { lineWidth } from './line-width.ts'

/** A column that may have to go. */
export interface OptionalColumn<Row> extends Column<Row> {
  /** Goes when the line has no room for all; the greatest number first. One without stays. */
  dropOrder?: number
}

/** A table that was fitted to the line, to be drawn a part at a time. */
export interface FittedTable<Row> {
  /** Line with the titles, if there are any. */
  readonly head: string[]
  renderRows(rows: readonly Row[]): string[]
}

/** Below this many columns a text says nothing. */
const MIN_TEXT_WIDTH = 20

/** A table whose last column, of text, takes what the others leave of the line. */
export function renderFittedTable<Row>(
  rows: readonly Row[],
  columns: readonly OptionalColumn<Row>[],
  text: Column<Row>,
): string {
  const { head, renderRows: lines } = fitTable(rows, columns, text)
  return [...head, ...lines(rows)].join('\n')
}

/**
 * Fits a table to the line by the rows given; those that follow keep to it. Where there is no room, spare columns go, and if that is not
 * enough, the text gets a line of its own below the others.
 */
export function fitTable<Row>(
  rows: readonly Row[],
  columns: readonly OptionalColumn<Row>[],
  text: Column<Row>,
): FittedTable<Row> {
  const room = lineWidth()
  const { kept, widths } = chooseColumns(rows, columns, room)
  const others = widths.reduce((sum, width) => sum + width + 2, 0)
  if (room - others < MIN_TEXT_WIDTH) return twoLineTable(kept, widths, text, room)

  // a number that was cut would be another number: it rather pushes the others
  const cut = kept.map((column, i) => (column.align === 'right' ? column : { ...column, maxWidth: widths[i] ?? 0 }))
  const all: Column<Row>[] = [...cut, { ...text, maxWidth: room - others }]
  const [titles] = titlesOf(all)
  return {
    head: titles === undefined ? [] : [renderRow(titles, all, widths)],
    renderRows: (some) => renderCells(some, all).map((cells, r) => renderRow(cells, all, widths, some[r])),
  }
}

/** The columns that there is room for beside a text. */
function chooseColumns<Row>(rows: readonly Row[], columns: readonly OptionalColumn<Row>[], room: number) {
  const grid = [...titlesOf(columns), ...renderCells(rows, columns)]
  const widths = measureColumns(grid, columns.length)
  const all = columns.map((column, i) => ({ column, width: Math.max(widths[i] ?? 0, column.minWidth ?? 0) }))
  const needed = (some: typeof all) => some.reduce((sum, { width }) => sum + width + 2, MIN_TEXT_WIDTH)
  let kept = all
  while (needed(kept) > room) {
    const most = Math.max(...kept.map(({ column: { dropOrder: spare = 0 } }) => spare))
    if (most === 0) break
    kept = kept.filter(({ column: { dropOrder: spare = 0 } }) => spare !== most)
  }
  return { kept: kept.map(({ column }) => column), widths: kept.map(({ width }) => width) }
}

/** Two lines for each row, and no titles: they would stand above something else. */
function twoLineTable<Row>(
  columns: readonly Column<Row>[],
  widths: readonly number[],
  text: Column<Row>,
  room: number,
): FittedTable<Row> {
  const below = { ...text, maxWidth: Math.max(MIN_TEXT_WIDTH, room) - 2 }
  const linesOf = (row: Row): string[] => {
    const [cells = []] = renderCells([row], columns)
    const [[cell = ''] = []] = renderCells([row], [below])
    const first = renderRow(cells, columns, widths, row).trimEnd()
    return cell === '' ? [first] : [first, `  ${text.paint?.(cell, row) ?? cell}`]
  }
  return { head: [], renderRows: (some) => some.flatMap(linesOf) }
}

function titlesOf<Row>(columns: readonly Column<Row>[]): string[][] {
  return columns.some(({ title }) => title !== undefined) ? [columns.map(({ title = '' }) => title)] : []
}
