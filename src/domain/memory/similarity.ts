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

/** Returns the significant terms as one text. Equal for memories that say the same. */
export function gistOf(content: string, said: readonly string[] = significantTerms(content)): string {
  return said.length > 0 ? said.join(' ') : content.trim().toLowerCase()
}

/** Whether two memories differ only in a few words, none of which changes the meaning. */
export function isSimilar(a: string, b: string): boolean {
  return areSimilar(contentTerms(a), contentTerms(b))
}

/** Returns terms and meaning-changing words in order. "n't" counts as "not". */
export function significantTerms(content: string): string[] {
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
  /** Meaning-changing words and numbers, in order. Equal for similar contents. */
  readonly turns: string
}

function contentTerms(content: string): ContentTerms {
  const said = significantTerms(content)
  const turns = said.filter((each) => MEANING_CHANGING.has(each) || /\d/.test(each))
  return { gist: gistOf(content, said), terms: new Set(said), turns: turns.join(' ') }
}

function areSimilar(a: ContentTerms, b: ContentTerms): boolean {
  if (a.gist === b.gist) return true
  if (a.turns !== b.turns) return false
  const common = commonTerms(a.terms, b.terms)
  return common !== undefined && common.join(' ') === [...b.terms].filter((each) => a.terms.has(each)).join(' ')
}

/** Terms of `a` that `b` has too; `undefined` once too few can be shared. */
function commonTerms(a: ReadonlySet<string>, b: ReadonlySet<string>): string[] | undefined {
  // of `all` terms of both, `all - all / MAX_DIFFERENT` are shared, and `all` is what both have less the shared ones
  const least = Math.max(1, Math.ceil(((a.size + b.size) * (MAX_DIFFERENT - 1)) / (2 * MAX_DIFFERENT - 1)))
  let missing = a.size - least
  if (missing < 0 || b.size < least) return undefined
  const common: string[] = []
  for (const each of a) {
    if (b.has(each)) common.push(each)
    else if (--missing < 0) return undefined
  }
  return common
}

/** Indexes of contents that say the same as another one, in order. */
export interface SimilarContents {
  /** With the same gist. */
  readonly equal: readonly number[]
  /** With a few other words. */
  readonly near: readonly number[]
}

/**
 * For each content of `asked`, the similar ones of `held`. Compares only contents with the same meaning-changing words
 * that share enough of their rarest terms. Yields after each content.
 */
export function* findSimilar(
  asked: readonly string[],
  held: readonly string[],
): Generator<undefined, SimilarContents[]> {
  const known = new Map<string, ContentTerms>()
  for (const content of [...asked, ...held]) {
    if (!known.has(content)) known.set(content, contentTerms(content))
    yield
  }
  const termsOf = (content: string) => known.get(content) as ContentTerms
  const byGist = new Map<string, number[]>()
  const byTurns = new Map<string, Map<string, number[]>>()
  for (const [i, content] of held.entries()) {
    const { gist, terms, turns } = termsOf(content)
    put(byGist, gist, i)
    const byTerm = byTurns.get(turns) ?? new Map<string, number[]>()
    byTurns.set(turns, byTerm)
    for (const each of terms) put(byTerm, each, i)
    yield
  }
  const found: SimilarContents[] = []
  for (const content of asked) {
    const own = termsOf(content)
    const candidates = [...candidatesFor(own.terms, byTurns.get(own.turns))].sort((a, b) => a - b)
    const isNear = (i: number) => {
      const other = termsOf(held[i] as string)
      return other.gist !== own.gist && areSimilar(own, other)
    }
    found.push({ equal: byGist.get(own.gist) ?? [], near: candidates.filter(isNear) })
    yield
  }
  return found
}

function* candidatesFor(
  terms: ReadonlySet<string>,
  byTerm: ReadonlyMap<string, number[]> = new Map(),
): Generator<number> {
  const chosen = rarestTerms(terms, (each) => byTerm.get(each)?.length ?? 0, tellingTerms(terms.size))
  const shared = new Map<number, number>()
  for (const each of chosen) for (const i of byTerm.get(each) ?? []) shared.set(i, (shared.get(i) ?? 0) + 1)
  const least = chosen.length - mostMissing(terms.size)
  for (const [i, count] of shared) if (count >= least) yield i
}

function put<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key)
  if (list === undefined) map.set(key, [value])
  else list.push(value)
}

/**
 * Returns the rarest terms of a memory, enough to tell which memories may be similar. A similar memory lacks at most
 * {@link mostMissing} of them. Leaves out meaning-changing words, which no index has.
 */
export function distinctiveTerms(said: readonly string[], frequencies: ReadonlyMap<string, number>): string[] {
  const known = said.filter((each) => !MEANING_CHANGING.has(each) || frequencies.has(each))
  return rarestTerms(known, (each) => frequencies.get(each) ?? 0, tellingTerms(said.length))
}

function rarestTerms(said: Iterable<string>, often: (term: string) => number, most: number): string[] {
  const counted = Array.from(said, (each) => [each, often(each)] as const)
  counted.sort(([a, x], [b, y]) => x - y || (a < b ? -1 : 1))
  return counted.slice(0, most).map(([each]) => each)
}

/** How many of its terms a similar content may lack. */
export function mostMissing(terms: number): number {
  return Math.floor(terms / MAX_DIFFERENT)
}

/** Twice as many as a similar content may lack: those that share only a few rare terms by chance are not compared. */
function tellingTerms(terms: number): number {
  return 2 * mostMissing(terms) + 1
}
