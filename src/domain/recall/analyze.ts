/** Analyzes a text for the index: its terms with their places, and a few features. */

import { isStopWord, pieces, term, WORD } from './text.ts'

/** Maximum stored places of a term per message. */
const MAX_PLACES = 255

const TIME_WORD =
  /\b(?:yesterday|today|tonight|tomorrow|ago|recently|last|next|since|weekend|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:week|month|year)s?|this (?:morning|summer|winter|spring|fall|autumn)|january|february|march|april|june|july|august|september|october|november|december|(?:19|20)\d\d)\b/gi
const NUMBER = /\d|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|dozen|hundred|once|twice)\b/i
/** A capitalized word inside a sentence, except an address ("Thanks, Ann!"). */
const PROPER_NAME = /(?<=[\p{Ll}\p{N},] )(?!(?:I|\p{L}+[!,.?])(?![\p{L}]))\p{Lu}\p{L}+/gu
/** At most 40 letters before the ending: `\b` sees a word at every accented letter, and each would read to the end. */
const PAST =
  /\b(?:\p{L}{1,40}[^e\W]ed|was|were|had|did|went|got|made|took|saw|came|bought|gave|told|met|won|found|left|began|wrote)\b/giu

/** Terms and features of a message. */
export interface TextAnalysis {
  /** Places by term: word position × 2, plus 1 inside a question. */
  readonly places: ReadonlyMap<string, readonly number[]>
  /** Number of index terms. */
  readonly length: number
  /** Number of index terms inside questions. */
  readonly asked: number
  /** Whether the last sentence is a question. */
  readonly asks: boolean
  /** Names, numbers, times and past actions. 0 to 9. */
  readonly specifics: number
  /** Number of time words, at most 3. */
  readonly times: number
  /** Whether it contains a number. */
  readonly counts: boolean
}

const countMatches = (text: string, pattern: RegExp, most: number) => Math.min(most, text.match(pattern)?.length ?? 0)

/** Analyzes a text. Deterministic. */
export function analyzeText(text: string): TextAnalysis {
  const places = new Map<string, number[]>()
  let position = 0
  let length = 0
  let asked = 0
  let asks = false
  for (const sentence of text.match(/[^.!?\n]+[.!?]*/g) ?? []) {
    const words = (sentence.match(WORD) ?? []).flatMap(pieces)
    if (words.length === 0) continue
    asks = sentence.includes('?')
    for (const word of words) {
      position += 1
      if (isStopWord(word)) continue
      length += 1
      if (asks) asked += 1
      const key = term(word)
      const list = places.get(key)
      const place = position * 2 + (asks ? 1 : 0)
      if (!list) places.set(key, [place])
      else if (list.length < MAX_PLACES) list.push(place)
    }
  }
  const times = countMatches(text, TIME_WORD, 3)
  const counts = NUMBER.test(text)
  const specifics =
    countMatches(text, PROPER_NAME, 2) +
    (counts ? 1 : 0) +
    Math.min(2, times) +
    countMatches(text, PAST, 3) +
    (/["“”]/.test(text) ? 1 : 0)
  return { places, length, asked, asks, specifics, times, counts }
}
