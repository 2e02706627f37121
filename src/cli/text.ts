import { charactersOf, characterWidth, displayWidth, isPlain } from './display-width.ts'

/** What steers a terminal, turns the direction of writing, or is there without being seen. Joiners are not: scripts need them. */
const UNSAFE =
  /[\p{Cc}\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]+/gu
/** More marks than any script puts on one letter: they would cover the lines above and below. */
const STACKED_MARKS = /[\p{Mn}\p{Me}\u200c\u200d]{9,}/gu
/** Columns from one tab stop to the next, as terminals have them. */
const TAB_WIDTH = 8

/** `1 session`, `1,200 sessions`. */
export function pluralize(count: number, noun: string, plural = `${noun}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? noun : plural}`
}

/** The text on one line, without characters that could steer a terminal: what is stored is not ours to trust. */
export function sanitizeLine(text: string): string {
  return replaceUnsafe(text.replace(/\s+/g, ' '))
}

/** As {@link sanitizeLine}, with its lines and columns as they are: tabs become blanks. */
export function sanitizeLines(text: string): string {
  const line = (one: string) => expandTabs(replaceUnsafe(one.replace(/[^\S\t]/g, ' '))).trimEnd()
  return text.split(/\r?\n/).map(line).join('\n')
}

/** JSON on one line. What {@link sanitizeLine} would replace is escaped: it reads back as it was, and steers no terminal. */
export function toSafeJson(value: unknown): string {
  const unit = (code: string) => `\\u${code.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replace(UNSAFE, (found) => found.split('').map(unit).join(''))
}

function replaceUnsafe(text: string): string {
  const replaced = text
    .replace(UNSAFE, (found) => (found === '\t' ? found : '\u{fffd}'))
    .replace(STACKED_MARKS, '\u{fffd}')
  return isPlain(replaced) ? replaced : [...charactersOf(replaced)].join('')
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

/** The text in lines of at most `width` columns, broken at blanks, or within words that are longer than that. */
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

/** A word that is longer than a line, cut. */
function splitWord(word: string, width: number): string[] {
  const pieces: string[] = []
  let piece = ''
  let room = width
  for (const character of charactersOf(word)) {
    const needed = characterWidth(character)
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

/** At most `width` columns of a text, the last one an ellipsis if something had to go. */
export function truncate(text: string, width: number): string {
  // no character takes more than two columns
  if (text.length * 2 <= width) return text
  let all = ''
  let cut = ''
  let used = 0
  for (const character of charactersOf(text)) {
    used += characterWidth(character)
    if (used > width) return `${cut}…`
    all += character
    if (used < width) cut = all
  }
  return all
}

/** The text on one line of at most `width` columns. Of a long one not all is looked at. */
export function toOneLine(text: string, width: number): string {
  const enough = width * 4 + 256
  const line = sanitizeLine(text.slice(0, enough)).trim()
  return truncate(text.length > enough ? `${line} …` : line, width)
}

/** The text with blanks behind it, or before it, up to `width` columns. */
export function pad(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)))
  return side === 'left' ? text + blanks : blanks + text
}
