import { describeFailure } from '../measure.ts'
import { formatInteger, formatMilliseconds, formatRounded } from '../print.ts'
import { figureOf, labelOf, type Row, ratioOf, type Table } from '../table.ts'

/** A Markdown table. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A column: a table, and the size of its rows if it has several. */
export interface Column {
  title: string
  table: Table
  size?: number
  /** Only rows whose name ends with this; names are shown without it. */
  suffix?: string
  /** Whether p50 and p99 follow a rate. */
  latencies?: boolean
}

/** Contenders as rows, figures of several tables side by side, and caveats in the last column. */
export function comparisonTable(corner: string, columns: readonly Column[]): string {
  const cells = columns.map((column) => cellsOf(column))
  const names = [...new Set(cells.flatMap((column) => [...column.keys()]))]
  const caveats = new Map(names.map((name) => [name, caveatOf(name, columns)]))
  const noted = [...caveats.values()].some((caveat) => caveat !== '')
  const rows = names.map((name) => [
    name.startsWith('Throughline') ? `**${name}**` : name,
    ...cells.map((column) => column.get(name) ?? ''),
    ...(noted ? [caveats.get(name) ?? ''] : []),
  ])
  return markdownTable([corner, ...columns.map(({ title }) => title), ...(noted ? [''] : [])], rows)
}

function shownName({ suffix = '' }: Column, { name }: Row): string | undefined {
  return name.endsWith(suffix) ? name.slice(0, name.length - suffix.length) : undefined
}

function cellsOf(column: Column): Map<string, string> {
  const { table, size, latencies = false } = column
  const found = new Map<string, string>()
  for (const row of table.rows) {
    const name = shownName(column, row)
    if (name !== undefined && (size === undefined || row.size === size))
      found.set(name, `${cellOf(table, row)}${latencies ? timesOf(row) : ''}`)
  }
  return found
}

/** The figure, its ratio to the base, and losses. */
export function cellOf(table: Table, row: Row): string {
  if (row.fails !== undefined) return describeFailure(row.fails)
  const figure = figureOf(table, row)
  const shown =
    table.by === 'rate'
      ? formatInteger(figure)
      : table.by === 'time'
        ? formatMilliseconds(figure)
        : formatRounded(figure)
  const ratio = row.base === labelOf(row) ? undefined : ratioOf(table, row)
  const lost = partsOf(row).filter((part) => /\d %/.test(part))
  return [
    `${shown}${ratio === undefined ? '' : ` (× ${ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2)})`}`,
    ...lost,
  ].join(', ')
}

function timesOf({ p50, p99 }: Row): string {
  return p50 === undefined ? '' : `, ${formatRounded(p50)} / ${formatRounded(p99)} ms`
}

const partsOf = ({ note }: Row) => note.split('; ').filter(Boolean)

/** The caveats of a contender that hold for all its lines. */
function caveatOf(name: string, columns: readonly Column[]): string {
  const rows = columns.flatMap((column) => column.table.rows.filter((row) => shownName(column, row) === name))
  const parts = rows.flatMap(partsOf).filter((part) => part !== 'nothing lost' && !/\d %|^after |^gives /.test(part))
  return [...new Set(parts)].join('; ')
}
