import { displayWidth } from './display-width.ts'
import { terminalWidth } from './line-width.ts'
import type { Output } from './output.ts'
import { pad, sanitizeLine, truncate, wrap } from './text.ts'

export interface Column<Row> {
  /** All columns of a table have a title, or none. */
  title?: string
  value: (row: Row) => string
  /** Longer values are cut. */
  maxWidth?: number
  /** Reserves room for rows that are not known yet. */
  minWidth?: number
  /** Colors the padded value. */
  paint?: (text: string, row: Row) => string
  /** @default 'left' */
  align?: 'left' | 'right'
}

/** Narrowest column that is wrapped. */
const MIN_WRAP_WIDTH = 16

/**
 * Renders rows in columns. If the terminal is too narrow, a table with titles prints each row as a block of lines, and
 * a table without titles wraps its last column.
 */
export function renderTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string {
  const grid = renderCells(rows, columns)
  const hasTitles = columns.some(({ title }) => title !== undefined)
  const titles = hasTitles ? [columns.map(({ title = '' }) => title)] : []
  const widths = measureColumns([...titles, ...grid], columns.length)
  const room = terminalWidth() ?? Number.POSITIVE_INFINITY
  const others = widths.slice(0, -1).reduce((sum, width) => sum + width + 2, 0)
  const isWide = others + (widths.at(-1) ?? 0) > room
  if (isWide && hasTitles) return renderBlocks(rows, grid, columns, room)

  const head = titles.map((cells) => renderRow(cells, columns, widths))
  const wrapsAt = isWide && room - others >= MIN_WRAP_WIDTH ? room - others : undefined
  const body = rows.map((row, r) => renderWrappedRow(row, grid[r] ?? [], columns, widths, wrapsAt))
  return [...head, ...body.flat()].join('\n')
}

/** A labelled value of a report. */
export type Fact = readonly [label: string, value: string]

/** Renders facts line by line with bold labels. The value labelled `alert` is red. */
export function renderFacts(facts: readonly Fact[], { paint }: Output, alert?: string): string {
  return renderTable(facts, [
    { value: ([label]) => label, paint: (text) => paint('bold', text) },
    { value: ([, value]) => value, paint: (text, [label]) => (label === alert ? paint('red', text) : text) },
  ])
}

/** Texts of the cells, sanitized and cut to the maximum widths. */
export function renderCells<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): string[][] {
  return rows.map((row) =>
    columns.map(({ value, maxWidth: width = Number.POSITIVE_INFINITY }) => truncate(sanitizeLine(value(row)), width)),
  )
}

/** Width of the widest cell of each column. */
export function measureColumns(grid: readonly (readonly string[])[], count: number): number[] {
  return Array.from({ length: count }, (_, i) =>
    grid.reduce((max, cells) => Math.max(max, displayWidth(cells[i] ?? '')), 0),
  )
}

/** One line of a table; colored if `row` is given. */
export function renderRow<Row>(
  cells: readonly string[],
  columns: readonly Column<Row>[],
  widths: readonly number[],
  row?: Row,
): string {
  return columns
    .map(({ paint, align = 'left' }, i) => {
      const cell = cells[i] ?? ''
      const isLast = i === columns.length - 1 && align === 'left'
      const text = isLast ? cell : pad(cell, widths[i] ?? 0, align)
      return paint === undefined || row === undefined ? text : paint(text, row)
    })
    .join('  ')
}

/** Wraps the last cell of a row. A single long word, such as an id, stays whole on a line of its own. */
function renderWrappedRow<Row>(
  row: Row,
  cells: readonly string[],
  columns: readonly Column<Row>[],
  widths: readonly number[],
  wrapsAt: number | undefined,
): string[] {
  if (wrapsAt === undefined) return [renderRow(cells, columns, widths, row)]
  const before = cells.slice(0, -1)
  const last = cells.at(-1) ?? ''
  if (!last.includes(' ') && displayWidth(last) > wrapsAt) {
    const below = columns.at(-1)?.paint?.(last, row) ?? last
    return [renderRow([...before, ''], columns, widths, row).trimEnd(), `  ${below}`]
  }
  return wrap(last, wrapsAt).map((text, i) =>
    renderRow([...(i === 0 ? before : before.map(() => '')), text], columns, widths, row),
  )
}

/** Rows as blocks of lines, each a title and a value. */
function renderBlocks<Row>(
  rows: readonly Row[],
  grid: readonly (readonly string[])[],
  columns: readonly Column<Row>[],
  room: number,
): string {
  const label = Math.max(...columns.map(({ title = '' }) => displayWidth(title)))
  const blocks = rows.map((row, r) =>
    columns.flatMap(({ title = '', paint = (text) => text }, i) =>
      wrap(grid[r]?.[i] ?? '', Math.max(MIN_WRAP_WIDTH, room - label - 2)).map(
        (text, line) => `${pad(line === 0 ? title : '', label)}  ${paint(text, row)}`,
      ),
    ),
  )
  return blocks.map((lines) => lines.join('\n')).join('\n\n')
}
