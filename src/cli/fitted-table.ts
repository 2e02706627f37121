import { lineWidth } from './line-width.ts'
import { type Column, measureColumns, renderCells, renderRow } from './table.ts'

/** A column that a narrow terminal may drop. */
export interface OptionalColumn<Row> extends Column<Row> {
  /** The highest number is dropped first; columns without one stay. */
  dropOrder?: number
}

/** A table layout for one line width, to render rows page by page. */
export interface FittedTable<Row> {
  /** The title line, if there are titles. */
  readonly head: string[]
  renderRows(rows: readonly Row[]): string[]
}

/** Narrowest useful text column. */
const MIN_TEXT_WIDTH = 20

/** Renders a table whose last column, a text, takes the rest of the line. */
export function renderFittedTable<Row>(
  rows: readonly Row[],
  columns: readonly OptionalColumn<Row>[],
  text: Column<Row>,
): string {
  const { head, renderRows: lines } = fitTable(rows, columns, text)
  return [...head, ...lines(rows)].join('\n')
}

/**
 * Lays out a table for the first rows; later rows use the same layout. If the line is too narrow, it drops columns by
 * `dropOrder`, then puts the text on a line of its own.
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

  // a cut number would read as another number, so numbers push the other columns instead
  const cut = kept.map((column, i) => (column.align === 'right' ? column : { ...column, maxWidth: widths[i] ?? 0 }))
  const all: Column<Row>[] = [...cut, { ...text, maxWidth: room - others }]
  const [titles] = titlesOf(all)
  return {
    head: titles === undefined ? [] : [renderRow(titles, all, widths)],
    renderRows: (some) => renderCells(some, all).map((cells, r) => renderRow(cells, all, widths, some[r])),
  }
}

/** Chooses the columns that fit beside the text. */
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

/** Two lines per row, without titles, which would not line up. */
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
