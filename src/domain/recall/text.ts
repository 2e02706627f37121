/** Splits text into words: Unicode, lower case, accents folded, possessives and contractions split. */

import { stem } from './stem.ts'

/** A word, with inner apostrophes. */
export const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu
const ACCENTS = /[\u0300-\u036f]/g
/** Scripts without spaces: their text becomes overlapping pairs of characters. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u

/** Words that carry grammar, not content. */
const STOP = new Set(
  `a about above after again against all am an and any are as at be because been before being below between both but by can
  could did do does doing done down during each few for from further had has have having he her here hers herself him himself his
  how i if in into is it its itself just let like lot may me might more most much must my myself no nor not now of off on once one
  only or other our ours ourselves out over own re really s same shall she should so some such than that the their theirs them
  themselves then there these they this those through to too under until up upon us very was we were what when where which while
  who whom whose why will with within without would yeah yes you your yours yourself yourselves ll ve d m t wo ca sha don didn doesn isn aren
  wasn weren won wouldn couldn shouldn haven hasn hadn ain oh ok okay hey hi hello wow thanks thank also even ever get got gonna
  wanna go going went been one's anything something everything nothing anyone someone everyone thing things way well`
    .split(/\s+/)
    .filter((word) => word !== ''),
)

const NUMBER_WORDS = new Map(
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty'
    .split(' ')
    .map((word, n) => [word, String(n)]),
)
const ORDINALS = new Map(
  'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ').map((word, n) => [word, String(n + 1)]),
)

/** Endings that are separate words: "Ann's", "I'll"; "O'Brien" is one word. */
const CLITIC = /'(?:s|ll|ve|re|d|m|t)$/

/** Longer words are data; their start is enough. */
const LONGEST_WORD = 40

/** Normalizes a word: lower case, no accents, split where needed. */
export function pieces(raw: string): string[] {
  const word = raw.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase().replaceAll('’', "'")
  if (UNSPACED.test(word)) {
    const chars = [...word]
    return chars.length === 1 ? chars : chars.slice(1).map((char, i) => (chars[i] ?? '') + char)
  }
  if (word.length > LONGEST_WORD) return [word.slice(0, LONGEST_WORD)]
  if (word.endsWith("n't")) return [word.slice(0, -3)]
  return [word.replace(CLITIC, '').replaceAll("'", '')]
}

/** Lower-case words of a text in order, stop words included. */
export function words(text: string): string[] {
  return (text.match(WORD) ?? []).flatMap(pieces)
}

export function isStopWord(word: string): boolean {
  return STOP.has(word)
}

/** Index term of a word: its stem, numbers in figures ("third" and "3rd" both give "3"). */
export function term(word: string): string {
  const number = NUMBER_WORDS.get(word) ?? ORDINALS.get(word) ?? /^(\d+)(?:st|nd|rd|th)$/.exec(word)?.[1]
  return number ?? stem(word)
}

/** Index terms of a text in order, stop words left out. */
export function terms(text: string): string[] {
  return words(text)
    .filter((word) => !STOP.has(word))
    .map(term)
}
