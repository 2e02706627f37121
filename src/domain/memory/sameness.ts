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
  if (gistOf(a) === gistOf(b)) return true
  const [first, second] = [new Set(terms(a)), new Set(terms(b))]
  const common = [...first].filter((term) => second.has(term)).length
  return (
    common > 0 &&
    (first.size + second.size - 2 * common) * DIFFERENT <= first.size + second.size - common &&
    denials(a) === denials(b) &&
    numbers(first) === numbers(second)
  )
}

/** So many of the rarest terms of a memory are enough to find each one that is alike: it holds at least one of them. */
export function tellingTerms(content: string, frequencies: ReadonlyMap<string, number>): string[] {
  const said = [...new Set(terms(content))]
  const often = (term: string) => frequencies.get(term) ?? 0
  return said
    .sort((a, b) => often(a) - often(b) || (a < b ? -1 : 1))
    .slice(0, Math.floor(said.length / DIFFERENT) + 1)
}

function denials(content: string): number {
  const contracted = content.match(/n['’]t\b/gi)?.length ?? 0
  return contracted + words(content).filter((word) => NEGATIONS.has(word)).length
}

function numbers(terms: ReadonlySet<string>): string {
  return [...terms]
    .filter((term) => /\d/.test(term))
    .sort()
    .join(' ')
}
