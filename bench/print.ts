import { toldFailure } from './measure.ts'
import { labelOf, ratioOf, type Table } from './table.ts'

export function printTable(table: Table): void {
  const { id, title, store, by, unit } = table
  console.log(`\n${title.startsWith(id) ? title : `${id} ${title}`} (${store})`)
  console.table(
    Object.fromEntries(
      table.rows.map((row) => {
        const { perSecond, p50, p99, value, fails, note } = row
        const ratio = ratioOf(table, row)
        const figures =
          by === 'value'
            ? { [unit ?? 'value']: value === undefined ? '' : rounded(value) }
            : {
                'per second': perSecond === undefined ? '' : Math.round(perSecond).toLocaleString('en'),
                'p50 ms': milliseconds(p50),
                'p99 ms': milliseconds(p99),
              }
        const cells = {
          ...figures,
          [`× ${by}`]: ratio === undefined ? '' : ratio.toFixed(2),
          note: [fails === undefined ? '' : toldFailure(fails), note].filter(Boolean).join('; '),
        }
        return [labelOf(row), cells]
      }),
    ),
  )
}

/** Three digits, and thousands in groups. */
export function rounded(value: number): string {
  if (value >= 100) return Math.round(value).toLocaleString('en')
  return value.toFixed(value >= 10 ? 1 : 2)
}

function milliseconds(latency: number | undefined): string {
  return latency === undefined ? '' : latency.toFixed(3)
}
