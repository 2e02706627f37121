import { displayWidth, graphemes } from './display-width.ts'

/** Control, bidirectional and invisible characters. Joiners are allowed: scripts need them. */
const UNSAFE =
  /[\p{Cc}\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]+/gu
/** More marks than any script puts on one letter: they would cover neighboring lines. */
const STACKED_MARKS = /[\p{Mn}\p{Me}\u200c\u200d]{9,}/gu
const TAB_WIDTH = 8

/** `1 session`, `1,200 sessions`. */
export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`
}

/** Joins a text to one line and replaces unsafe characters: stored content is not trusted. */
export function sanitizeLine(text: string): string {
  return replaceUnsafe(text.replace(/\s+/g, ' '))
}

/** Replaces unsafe characters. Keeps lines and indentation; tabs become spaces. */
export function sanitizeLines(text: string): string {
  const line = (one: string) => expandTabs(replaceUnsafe(one.replace(/[^\S\t]/g, ' '))).trimEnd()
  return text.split(/\r?\n/).map(line).join('\n')
}

/** JSON on one line. Escapes unsafe characters, so that it is safe to print and parses to the same value. */
export function toSafeJson(value: unknown): string {
  const unit = (code: string) => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(UNSAFE, (found) => found.split('').map(unit).join(''))
}

function replaceUnsafe(text: string): string {
  const replaced = text
    .replace(UNSAFE, (found) => (found === '\t' ? found : '\u{fffd}'))
    .replace(STACKED_MARKS, '\u{fffd}')
  return [...graphemes(replaced)].join('')
}

function expandTabs(line: string): string {
  const [first = '', ...rest] = line.split('\t')
  let [all, width] = [first, displayWidth(first)]
  for (const part of rest) {
    const blanks = TAB_WIDTH - (width % TAB_WIDTH)
    all += ' '.repeat(blanks) + part
    width += blanks + displayWidth(part)
  }
  return all
}

/** Breaks a text into lines of at most `width` columns: at spaces, or within words longer than a line. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<= )(?! )/)) {
    if (displayWidth((line + word).trimEnd()) <= width) {
      line += word
      continue
    }
    if (line.trim() !== '') lines.push(line.trimEnd())
    const pieces = displayWidth(word.trimEnd()) <= width ? [word] : splitWord(word, width)
    lines.push(...pieces.slice(0, -1))
    line = pieces.at(-1) ?? ''
  }
  return [...lines, line.trimEnd()]
}

function splitWord(word: string, width: number): string[] {
  const pieces: string[] = []
  let piece = ''
  let room = width
  for (const character of graphemes(word)) {
    const needed = displayWidth(character)
    if (needed > room && piece !== '') {
      pieces.push(piece)
      piece = ''
      room = width
    }
    piece += character
    room -= needed
  }
  return [...pieces, piece]
}

/** Cuts a text to `width` columns and marks the cut with an ellipsis. */
export function truncate(text: string, width: number): string {
  // a UTF-16 unit takes at most two columns
  if (text.length * 2 <= width) return text
  let all = ''
  let cut = ''
  let used = 0
  for (const character of graphemes(text)) {
    used += displayWidth(character)
    if (used > width) return `${cut}…`
    all += character
    if (used < width) cut = all
  }
  return all
}

/** Sanitizes a text and cuts it to one line of `width` columns. Reads only the start of a long text. */
export function toOneLine(text: string, width: number): string {
  const enough = width * 4 + 256
  const line = sanitizeLine(text.slice(0, enough)).trim()
  return truncate(text.length > enough ? `${line} …` : line, width)
}

/** Pads a text with spaces to `width` columns; `side` is where the text goes. */
export function pad(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return side === 'left' ? text + blanks : blanks + text
}
