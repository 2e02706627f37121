import { isProving } from '../proof.ts'

/** Texts that are costly to tokenize, to index or to compare. Deterministic. */

/** A generator of whole numbers from 0 to `below`, exclusive. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const BLOCK = 64 * 1024

/** Thousands of words of random letters. */
const WORDS = blockOf((next) => `${Array.from({ length: 2 + next(9) }, () => LETTERS[next(26)]).join('')} `)
/** Random characters without blanks, as in a file encoded as text. */
const CHARACTERS = blockOf((next) => String.fromCharCode(33 + next(94)))

function blockOf(piece: (next: (below: number) => number) => string): string {
  const next = randomNumbers(4747)
  const pieces: string[] = []
  for (let length = 0; length < BLOCK; length += pieces.at(-1)?.length ?? 0) pieces.push(piece(next))
  return pieces.join('').slice(0, BLOCK)
}

/** Random words; other ones, or in another order, for another seed. */
export const randomWords = (length: number, seed = 1) => rotated(WORDS, length, seed)

/** Random characters, which compress badly. */
export const randomCharacters = (length: number, seed = 1) => rotated(CHARACTERS, length, seed)

/** Repeats a block, each time from another place. */
function rotated(block: string, length: number, seed: number): string {
  const next = randomNumbers(seed)
  const parts = Array.from({ length: Math.ceil(length / BLOCK) }, () => {
    const at = next(BLOCK)
    return block.slice(at) + block.slice(0, at)
  })
  return parts.join('').slice(0, length)
}

/** One long run of a unit, which ends with a letter: blanks alone are refused. */
export const run = (unit: string, length: number) =>
  `${unit.repeat(Math.ceil(length / unit.length)).slice(0, length - 2)}.x`.toWellFormed()

/** Units of long runs, in several scripts. */
export const ODD_UNITS = {
  accents: 'aé',
  marks: 'e\u0301',
  past: 'xed ',
  dates: 'on 3 May 2023 ',
  cjk: '漢字',
  emoji: '😀',
  joined: '👩‍👩‍👧‍👦',
  blanks: ' \t',
  quotes: '"\'',
  capitals: 'Ab ',
  digits: '7',
  questions: 'what? ',
  right: 'سلام ',
  indic: 'क्षि',
  thai: 'ภาษาไทย',
  control: '\u0001\u2028',
} as const

/** The names of the units that `npm test` uses; the others take as long, or less. */
const TELLING: readonly string[] = ['accents', 'marks', 'cjk', 'dates']

/** The units of this run, with their names. */
export function oddUnits(): (readonly [name: string, unit: string])[] {
  return Object.entries(ODD_UNITS).filter(([name]) => isProving || TELLING.includes(name))
}
