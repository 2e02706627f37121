/** When two memories say the same. */

import { terms, words } from '../recall/text.ts'

/** Two memories are one if at most one in so many of their terms is not in both. */
const DIFFERENT = 5

const NEGATIONS = new Set(['not', 'no', 'never', 'cannot', 'without', 'neither', 'nor', 'none'])

/** What a memory says, without how: its terms in order of the alphabet, and whether it denies. Equal for memories that say the same. */
export function gistOf(content: string): string {
  const said = [...new Set(terms(content))].sort()
  return `${denials(content)} ${said.length > 0 ? said.join(' ') : content.trim().toLowerCase()}`
}

/** Whether two memories differ in nothing but a few words, none of them a number or a denial. */
export function isAlike(a: string, b: string): boolean {
  return areAlike(sayingOf(a), sayingOf(b))
}

/** What a content says, worked out once. */
interface Saying {
  readonly gist: string
  readonly terms: ReadonlySet<string>
  readonly denials: number
  readonly numbers: string
}

function sayingOf(content: string): Saying {
  const said = new Set(terms(content))
  const numbers = [...said].filter((term) => /\d/.test(term)).sort()
  return { gist: gistOf(content), terms: said, denials: denials(content), numbers: numbers.join(' ') }
}

function areAlike(a: Saying, b: Saying): boolean {
  if (a.gist === b.gist) return true
  let common = 0
  for (const term of a.terms) if (b.terms.has(term)) common++
  const all = a.terms.size + b.terms.size - common
  return common > 0 && (all - common) * DIFFERENT <= all && a.denials === b.denials && a.numbers === b.numbers
}

/** Contents by their words: finds those that say the same as another without a look at all of them. */
export class Sayings<T> {
  readonly #byTerm = new Map<string, Set<readonly [Saying, T]>>()
  readonly #byGist = new Map<string, Set<readonly [Saying, T]>>()

  add(content: string, of: T): void {
    const entry = [sayingOf(content), of] as const
    const { gist, terms: said } = entry[0]
    put(this.#byGist, gist, entry)
    for (const term of said) put(this.#byTerm, term, entry)
  }

  /** Those that say the same. */
  *alike(content: string): Generator<T> {
    const saying = sayingOf(content)
    const frequencies = new Map([...saying.terms].map((term) => [term, this.#byTerm.get(term)?.size ?? 0]))
    const lists = [
      this.#byGist.get(saying.gist),
      ...tellingOf(saying.terms, frequencies).map((term) => this.#byTerm.get(term)),
    ]
    const found = new Set(lists.flatMap((list) => [...(list ?? [])]))
    for (const [other, of] of found) if (areAlike(saying, other)) yield of
  }
}

function put<T>(map: Map<string, Set<T>>, key: string, value: T): void {
  const set = map.get(key) ?? new Set()
  map.set(key, set.add(value))
}

/** So many of the rarest terms of a memory are enough to find each one that is alike: it holds at least one of them. */
export function tellingTerms(content: string, frequencies: ReadonlyMap<string, number>): string[] {
  return tellingOf(new Set(terms(content)), frequencies)
}

function tellingOf(said: ReadonlySet<string>, frequencies: ReadonlyMap<string, number>): string[] {
  const often = (term: string) => frequencies.get(term) ?? 0
  return [...said]
    .sort((a, b) => often(a) - often(b) || (a < b ? -1 : 1))
    .slice(0, Math.floor(said.size / DIFFERENT) + 1)
}

function denials(content: string): number {
  const contracted = content.match(/n['’]t\b/gi)?.length ?? 0
  return contracted + words(content).filter((word) => NEGATIONS.has(word)).length
}
