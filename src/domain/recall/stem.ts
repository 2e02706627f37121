/**
 * Stems English words by Porter's second algorithm (Snowball "english"), after mapping irregular forms to their base
 * word. Words of other alphabets stay unchanged.
 */

import { BASE_FORM } from './irregular.ts'

const VOWEL = /[aeiouy]/
const DOUBLE = /(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/
const SHORT_SYLLABLE = /(?:[^aeiouy][aeiouy][^aeiouywxY]|^[aeiouy][^aeiouy])$/
const LATIN_WORD = /^[a-z']+$/

const WHOLE_WORDS = new Map(
  Object.entries({
    skis: 'ski',
    skies: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    idly: 'idl',
    gently: 'gentl',
    ugly: 'ugli',
    early: 'earli',
    only: 'onli',
    singly: 'singl',
  }),
)
const UNCHANGED = new Set(['sky', 'news', 'atlas', 'cosmos', 'bias', 'inning', 'outing', 'herring', 'earring'])

const STEP_2: ReadonlyArray<readonly [string, string]> = [
  ['ational', 'ate'],
  ['ization', 'ize'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
]
const STEP_3: ReadonlyArray<readonly [string, string]> = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
]
const STEP_4 = /(?:ement|ance|ence|able|ible|ment|ant|ent|ism|ate|iti|ous|ive|ize|al|er|ic)$/

/** Start of the region after the first non-vowel that follows a vowel, from `from` on. */
function region(word: string, from: number): number {
  for (let i = from + 1; i < word.length; i++) {
    if (!VOWEL.test(word.charAt(i)) && VOWEL.test(word.charAt(i - 1))) return i + 1
  }
  return word.length
}

function firstRegion(word: string): number {
  const prefix = /^(?:gener|commun|arsen)/.exec(word)
  return prefix ? prefix[0].length : region(word, 0)
}

function dropPlural(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (/ie[ds]$/.test(word)) return word.slice(0, word.length > 4 ? -2 : -1)
  if (/(?:us|ss)$/.test(word) || !word.endsWith('s')) return word
  return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word
}

function dropTense(word: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(word)
  if (eed) return eed.index >= r1 ? `${word.slice(0, eed.index)}ee` : word
  const ending = /(?:ingly|edly|ing|ed)$/.exec(word)
  if (!ending || !VOWEL.test(word.slice(0, ending.index))) return word
  const rest = word.slice(0, ending.index)
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`
  if (DOUBLE.test(rest)) return rest.slice(0, -1)
  return r1 >= rest.length && SHORT_SYLLABLE.test(rest) ? `${rest}e` : rest
}

function replaceEnding(word: string, r1: number, table: ReadonlyArray<readonly [string, string]>): string | undefined {
  for (const [ending, by] of table) {
    if (!word.endsWith(ending)) continue
    const at = word.length - ending.length
    return at >= r1 ? word.slice(0, at) + by : word
  }
  return undefined
}

function secondStep(word: string, r1: number): string {
  const replaced = replaceEnding(word, r1, STEP_2)
  if (replaced !== undefined) return replaced
  if (word.endsWith('logi')) return word.length - 3 >= r1 ? word.slice(0, -1) : word
  if (/[cdeghkmnrt]li$/.test(word) && word.length - 2 >= r1) return word.slice(0, -2)
  return word
}

function thirdStep(word: string, r1: number, r2: number): string {
  const replaced = replaceEnding(word, r1, STEP_3)
  if (replaced !== undefined) return replaced
  return word.endsWith('ative') && word.length - 5 >= r2 ? word.slice(0, -5) : word
}

function fourthStep(word: string, r2: number): string {
  const ending = STEP_4.exec(word)
  if (ending) return ending.index >= r2 ? word.slice(0, ending.index) : word
  return /[st]ion$/.test(word) && word.length - 3 >= r2 ? word.slice(0, -3) : word
}

function lastStep(word: string, r1: number, r2: number): string {
  const at = word.length - 1
  if (word.endsWith('e')) {
    return at >= r2 || (at >= r1 && !SHORT_SYLLABLE.test(word.slice(0, -1))) ? word.slice(0, -1) : word
  }
  return word.endsWith('ll') && at >= r2 ? word.slice(0, -1) : word
}

/** Stem of a lower-case word: "went" and "going" give "go", "paintings" and "painted" give "paint". */
export function stem(surface: string): string {
  const word = BASE_FORM.get(surface) ?? surface
  if (word.length <= 2 || !LATIN_WORD.test(word)) return word
  const whole = WHOLE_WORDS.get(word)
  if (whole !== undefined) return whole
  if (UNCHANGED.has(word)) return word

  const marked = word.replace(/^y/, 'Y').replace(/([aeiouy])y/g, '$1Y')
  const r1 = firstRegion(marked)
  const r2 = region(marked, r1)
  const singular = dropPlural(marked)
  if (UNCHANGED.has(singular)) return singular.toLowerCase()
  const present = dropTense(singular, r1).replace(/(.[^aeiouy])[yY]$/, '$1i')
  const second = secondStep(present, r1)
  const third = thirdStep(second, r1, r2)
  // beyond Porter: "healthy" and "health" are one
  return lastStep(fourthStep(third, r2), r1, r2)
    .toLowerCase()
    .replace(/(?<=.{4}[^aeiou])i$/, '')
}
