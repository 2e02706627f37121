import { stripVTControlCharacters } from 'node:util'
import { type Column, table } from './table.ts'

/** Where nobody says how wide a line may be, such as in a pipe. */
const DEFAULT_WIDTH = 160
/** Below this many characters a text says nothing. */
const LEAST = 20

/** Characters that a line of output has room for: `COLUMNS`, or what the terminal says. */
export function lineWidth(): number {
  const wanted = Number(process.env['COLUMNS'])
  // some terminals say 0
  return Number.isInteger(wanted) && wanted > 0 ? wanted : process.stdout.columns || DEFAULT_WIDTH
}

/** A table whose last column, of text, takes what the others leave of the line. */
export function fittedTable<Row>(rows: readonly Row[], columns: readonly Column<Row>[], text: Column<Row>): string {
  const lines = stripVTControlCharacters(table(rows, columns)).split('\n')
  const others = Math.max(...lines.map((line) => line.length))
  const room = Math.max(LEAST, lineWidth() - others - 2)
  return table(rows, [...columns, { ...text, width: room }])
}
