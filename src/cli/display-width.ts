import { createRequire } from 'node:module'

/** Text with one column per character: Latin letters, punctuation, arrows, lines and boxes. */
const NARROW = /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u259f]*$/

/** Longest cluster accepted as one character, in UTF-16 units: longer ones are stacks of marks. */
const MAX_GRAPHEME_LENGTH = 64

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' })
const require = createRequire(import.meta.url)
let stringWidth: ((text: string) => number) | undefined

/** Terminal columns of a text without colors. */
export function displayWidth(text: string): number {
  if (NARROW.test(text)) return text.length
  // loaded on first use: most output is narrow, and its Unicode tables cost 20 ms of startup
  stringWidth ??= (require('string-width') as { default: (text: string) => number }).default
  return stringWidth(text)
}

/** User-perceived characters, each with its marks. A stack of marks becomes U+FFFD. */
export function* graphemes(text: string): Generator<string> {
  if (NARROW.test(text)) {
    yield* text
    return
  }
  for (const { segment } of segmenter.segment(text)) {
    yield segment.length > MAX_GRAPHEME_LENGTH ? '\u{fffd}' : segment
  }
}
