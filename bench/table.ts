/** The kind of a row: the bare driver, Throughline, a peer, or a limit such as pgbench. */
export type Kind = 'raw' | 'throughline' | 'peer' | 'limit'

/** One line of a table. */
export interface Row {
  name: string
  kind: Kind
  /** Events or sessions that the store held. */
  size?: number
  /** Label of the row that this one is compared with. */
  base?: string
  /** Operations per second, median of the rounds. */
  perSecond?: number
  /** Latencies in milliseconds; absent if only the rate is known. */
  p50?: number
  p99?: number
  /** A value other than rate or time; the table has the unit. */
  value?: number
  /** Further values by the title of their column; every row of a table has the same columns. */
  columns?: Record<string, number | undefined>
  note: string
  /** Why there are no figures. */
  fails?: string
}

/** One line of the benchmark on one store. */
export interface Table {
  /** Such as `W1`; with the store it names the table. */
  id: string
  part: string
  store: string
  title: string
  /** What is compared: operations per second (more is better), or the median time or value (less is better). */
  by: 'rate' | 'time' | 'value'
  unit?: string
  rows: Row[]
}

export function labelOf({ name, size }: Pick<Row, 'name' | 'size'>): string {
  return size === undefined ? name : `${name}, ${size.toLocaleString('en')}`
}

/** The figure of a row that its table compares. */
export function figureOf({ by }: Pick<Table, 'by'>, row: Row): number | undefined {
  return by === 'rate' ? row.perSecond : by === 'time' ? row.p50 : row.value
}

/** Ratio of a row to its base; undefined if one of them has no figure. */
export function ratioOf(table: Table, row: Row): number | undefined {
  const base = table.rows.find((other) => labelOf(other) === row.base)
  const own = figureOf(table, row)
  const other = base && figureOf(table, base)
  return own === undefined || other === undefined ? undefined : own / other
}

/** @param sorted ascending */
export function quantile(sorted: readonly number[], share: number): number | undefined {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}

export function median(values: readonly number[]): number | undefined {
  return quantile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}
