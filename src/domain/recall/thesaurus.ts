/** Words related to a query word, as index terms. */

import { HYPONYMS } from './hyponyms.ts'
import { SYNONYMS } from './synonyms.ts'
import { term } from './text.ts'

const rows = (data: string) => data.replaceAll('\n', ' ').split('|')
const asTerms = (line: string) => line.trim().split(/\s+/).map(term)

function build(groups: ReadonlyArray<readonly [string, readonly string[]]>): ReadonlyMap<string, ReadonlySet<string>> {
  const related = new Map<string, Set<string>>()
  for (const [from, to] of groups) {
    const set = related.get(from) ?? new Set<string>()
    related.set(from, set)
    for (const word of to) if (word !== from) set.add(word)
  }
  return related
}

/** Synonyms of the key. */
export const synonymsOf = build(
  rows(SYNONYMS).flatMap((line) => {
    const group = asTerms(line)
    return group.map((word) => [word, group] as const)
  }),
)

/** Hyponyms of the key: "guitar" answers a query about instruments. */
export const hyponymsOf = build(
  rows(HYPONYMS).map((line) => {
    const [head = '', members = ''] = line.split(':')
    return [term(head.trim()), asTerms(members)] as const
  }),
)
