import { describeFailure } from '../measure.ts'
import { formatInteger, formatMilliseconds, formatRounded } from '../print.ts'
import { figureOf, labelOf, type Row, ratioOf, type Table } from '../table.ts'

/** A table of Markdown; the first column to the left. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** A column: a table, and of its rows those of one size where it has several. */
export interface Column {
  title: string
  table: Table
  size?: number
  /** Only rows of names that end so; the names are shown without it. */
  suffix?: string
  /** Behind a rate also p50 and p99. */
  latencies?: boolean
}

/** Contenders as rows, with the figures of several tables side by side, and what must be read with them at the end. */
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

/** The figure, how it compares where it is not the base itself, and what was lost. */
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

/** What is said of a contender on every line, and not of one of them. */
function caveatOf(name: string, columns: readonly Column[]): string {
  const rows = columns.flatMap((column) => column.table.rows.filter((row) => shownName(column, row) === name))
  const parts = rows.flatMap(partsOf).filter((part) => part !== 'nothing lost' && !/\d %|^after |^gives /.test(part))
  return [...new Set(parts)].join('; ')
}
