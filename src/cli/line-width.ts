/** Where nobody says how wide a line may be, such as in a pipe. */
const DEFAULT_WIDTH = 160

/** Columns that a line of output has: `COLUMNS`, or what the terminal says; `undefined` where neither does. */
export function terminalWidth(): number | undefined {
  const wanted = Number(process.env['COLUMNS'])
  // some terminals say 0
  return Number.isInteger(wanted) && wanted > 0 ? wanted : process.stdout.columns || undefined
}

/** The same, or a width that suits most readers. */
export function lineWidth(): number {
  return terminalWidth() ?? DEFAULT_WIDTH
}
