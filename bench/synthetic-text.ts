/** Synthetic text, the same in every run, with the word frequencies of a language: few are common, most are rare. */

const SYLLABLES = 'ka lo mi ter ran sol vi den pra tu gel nor fi bas mon ri cal du sten wo'.split(' ')
const WORDS = 20_000
const SMALL = 'the a of and to in is was it for on with that this we you I at by from'.split(' ')

/** A random number generator from 0 to 1 with a seed. */
export function seededRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

function word(number: number): string {
  let text = ''
  for (let rest = number + 1; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    text += SYLLABLES[rest % SYLLABLES.length]
  }
  return `${text}x`
}

/** A word by Zipf's law. */
function spoken(next: () => number): string {
  return next() < 0.5 ? (SMALL[Math.floor(next() * SMALL.length)] ?? '') : word(Math.floor(WORDS ** next()))
}

/** A sentence of 8 to 24 words. */
export function makeSentence(next: () => number): string {
  const words = Array.from({ length: 8 + Math.floor(next() * 17) }, () => spoken(next))
  return `${words.join(' ')}${next() < 0.2 ? '?' : '.'}`
}

/** A question of 4 to 8 words, most of them neither very common nor very rare. */
export function makeQuestion(next: () => number): string {
  const words = Array.from({ length: 4 + Math.floor(next() * 5) }, () =>
    word(Math.floor(WORDS ** (0.3 + 0.7 * next()))),
  )
  return `What was said about ${words.join(' ')}?`
}
