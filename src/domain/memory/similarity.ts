/**
 * Decides whether two memories say the same: the same terms in the same order, with equal numbers, negations and
 * directions.
 */

import { isStopWord, term, words } from '../recall/text.ts'

/** Two memories are similar if at most one in this many of their terms is not shared. */
const MAX_DIFFERENT = 5

/** Small words that can reverse a statement. */
const MEANING_CHANGING = new Set(
  `not no never cannot without with neither nor none before after over under up down from to into onto off on in out above below
  against for more less most least until since too only again both all any some`.split(/\s+/),
)

/** Returns the terms and meaning-changing words in order. Equal for memories that say the same. */
export function normalizedContent(content: string): string {
  const said = significantTerms(content)
  return said.length > 0 ? said.join(' ') : content.trim().toLowerCase()
}

/** Whether two memories differ only in a few words, none of which changes the meaning. */
export function isSimilar(a: string, b: string): boolean {
  return areSimilar(contentTerms(a), contentTerms(b))
}

/** Returns terms and meaning-changing words in order. "n't" counts as "not". */
function significantTerms(content: string): string[] {
  return words(content.replace(/n['’]t\b/gi, ' not')).flatMap((word) => {
    if (MEANING_CHANGING.has(word)) return [word]
    return isStopWord(word) ? [] : [term(word)]
  })
}

/** The terms of a content, computed once. */
interface ContentTerms {
  readonly gist: string
  /** Unique, in order. */
  readonly terms: ReadonlySet<string>
  /** Meaning-changing words and numbers, in order. */
  readonly turns: string
}

function contentTerms(content: string): ContentTerms {
  const said = significantTerms(content)
  const turns = said.filter((each) => MEANING_CHANGING.has(each) || /\d/.test(each))
  return { gist: normalizedContent(content), terms: new Set(said), turns: turns.join(' ') }
}

function areSimilar(a: ContentTerms, b: ContentTerms): boolean {
  if (a.gist === b.gist) return true
  const common = [...a.terms].filter((each) => b.terms.has(each))
  const all = a.terms.size + b.terms.size - common.length
  return (
    common.length > 0 &&
    (all - common.length) * MAX_DIFFERENT <= all &&
    a.turns === b.turns &&
    common.join(' ') === [...b.terms].filter((each) => a.terms.has(each)).join(' ')
  )
}

/** Finds similar contents by their rarest terms, without comparing all. */
export class SimilarityIndex<T> {
  readonly #byTerm = new Map<string, Set<readonly [ContentTerms, T]>>()
  readonly #byGist = new Map<string, Set<readonly [ContentTerms, T]>>()

  add(content: string, of: T): void {
    const entry = [contentTerms(content), of] as const
    const { gist, terms } = entry[0]
    put(this.#byGist, gist, entry)
    for (const each of terms) put(this.#byTerm, each, entry)
  }

  /** Yields the values whose content says the same. */
  *findSimilar(content: string): Generator<T> {
    const saying = contentTerms(content)
    const frequencies = new Map([...saying.terms].map((each) => [each, this.#byTerm.get(each)?.size ?? 0]))
    const telling = rarestTerms(saying.terms, frequencies).map((each) => this.#byTerm.get(each))
    const found = new Set([this.#byGist.get(saying.gist), ...telling].flatMap((list) => [...(list ?? [])]))
    for (const [other, of] of found) if (areSimilar(saying, other)) yield of
  }
}

function put<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const set = map.get(key) ?? new Set()
  map.set(key, set.add(value))
}

/**
 * Returns the rarest terms of a memory, enough that every similar memory contains at least one. Leaves out
 * meaning-changing words, which no index has.
 */
export function distinctiveTerms(content: string, frequencies: ReadonlyMap<string, number>): string[] {
  const said = new Set(significantTerms(content))
  const most = Math.floor(said.size / MAX_DIFFERENT) + 1
  const known = [...said].filter((each) => !MEANING_CHANGING.has(each) || frequencies.has(each))
  return rarestTerms(new Set(known), frequencies, most)
}

function rarestTerms(
  said: ReadonlySet<string>,
  frequencies: ReadonlyMap<string, number>,
  most = Math.floor(said.size / MAX_DIFFERENT) + 1,
): string[] {
  const often = (each: string) => frequencies.get(each) ?? 0
  return [...said].sort((a, b) => often(a) - often(b) || (a < b ? -1 : 1)).slice(0, most)
}
