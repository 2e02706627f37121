/**
 * Text as it may be shown anywhere. Control characters become their pictures, and characters that turn the direction of what
 * follows, or have no width, become their names in brackets: nobody can hide a word, or make one look like another.
 */
export function visible(text: string): string {
  return text.replace(HIDDEN, (character) => {
    const code = character.codePointAt(0) ?? 0
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return '\u2421'
    return `[U+${code.toString(16).toUpperCase().padStart(4, '0')}]`
  })
}

// controls but tab and line feed, soft hyphen, joiners and marks without width, turns of direction, tags, lone surrogates
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/gu

/** The first characters of a text on one line. */
export function oneLine(text: string, most = 200): string {
  const line = visible(text.slice(0, most + 1).replace(/\s+/g, ' ')).trim()
  return text.length > most ? `${line.slice(0, most)}…` : line
}
