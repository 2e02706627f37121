/** Width without a terminal, such as in a pipe. */
const DEFAULT_WIDTH = 160

/** Columns of a line: `COLUMNS`, else the terminal's width, else `undefined`. */
export function terminalWidth(): number | undefined {
  const wanted = Number(process.env['COLUMNS'])
  // some terminals report 0
  return Number.isInteger(wanted) && wanted > 0 ? wanted : process.stdout.columns || undefined
}

/** Columns of a line, with a default for pipes. */
export function lineWidth(): number {
  return terminalWidth() ?? DEFAULT_WIDTH
}
