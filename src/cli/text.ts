/** `1 session`, `1,200 sessions`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`
}

/** The text on one line, without characters that could steer a terminal: what is stored is not ours to trust. */
export function printable(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '\u{fffd}')
}

/** As {@link printable}, with its lines as they are. */
export function printableLines(text: string): string {
  const line = (one: string) => `${/^ */.exec(one)?.[0]}${printable(one).trim()}`.trimEnd()
  return text.split(/\r?\n/).map(line).join('\n')
}

/** The text in lines of at most `width`, broken at blanks. */
export function wrapped(text: string, width: number): string[] {
  const lines = text.match(new RegExp(`.{1,${width}}(?: |$)|\\S+ ?`, 'g')) ?? [text]
  return lines.map((line) => line.trimEnd())
}

/** At most `width` characters, the last one an ellipsis if some had to go. */
export function clipped(text: string, width: number): string {
  const characters = [...text]
  return characters.length <= width ? text : `${characters.slice(0, width - 1).join('')}…`
}
