import { readFileSync } from 'node:fs'
import { extractFacts, type Fact } from '../../../src/domain/memory/extract.ts'
import { MEMORY_CATEGORIES, type MemoryCategory } from '../../../src/domain/memory/memory.ts'

/** A message of a user with what a person would remember of it. See README.md for how that is decided. */
export interface Labelled {
  message: string
  facts: { category: MemoryCategory; content: string; explicit?: true }[]
}

/** Rules are tuned on `tune`; `held` is only reported on. */
export type Part = 'tune' | 'held'

export function readLabelled(part: Part): Labelled[] {
  const lines = readFileSync(new URL(`${part}.jsonl`, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
  return lines.map((line) => JSON.parse(line) as Labelled)
}

/** What the rules find in one message. */
export function factsOf(message: string): Fact[] {
  const createdAt = '2026-01-01T00:00:00.000Z'
  const event = {
    id: 'e1',
    sessionId: 's1',
    sequence: 1,
    type: 'user_message',
    role: 'user',
    content: message,
    createdAt,
  } as const
  return extractFacts([event])
}

/** Counts of one category, or of all. */
export interface Counts {
  /** Found as labelled: the same category, content and source. */
  right: number
  found: number
  labelled: number
  /** Of what was found, the share that is right; 1 where nothing was. */
  precision: number
  /** Of what is labelled, the share that was found; 1 where nothing is. */
  recall: number
}

export interface Score {
  all: Counts
  byCategory: Record<MemoryCategory, Counts>
  /** Messages of which nothing should be remembered, and something was. */
  disturbed: number
}

export function score(rows: readonly Labelled[]): Score {
  const judged = rows.map(({ message, facts }) => ({
    labels: facts.map(labelKey),
    found: factsOf(message).map(factKey),
  }))
  const countsOf = (category: string) => {
    const of = (keys: readonly string[]) => keys.filter((key) => key.startsWith(category))
    const sum = (count: (row: (typeof judged)[number]) => number) =>
      judged.reduce((total, row) => total + count(row), 0)
    const right = sum(({ labels, found }) => of(found).filter((key) => labels.includes(key)).length)
    const found = sum((row) => of(row.found).length)
    const labelled = sum((row) => of(row.labels).length)
    return { right, found, labelled, precision: share(right, found), recall: share(right, labelled) }
  }
  const byCategory = MEMORY_CATEGORIES.map((category) => [category, countsOf(category)])
  return {
    all: countsOf(''),
    byCategory: Object.fromEntries(byCategory),
    disturbed: judged.filter(({ labels, found }) => labels.length === 0 && found.length > 0).length,
  }
}

const share = (part: number, whole: number) => (whole === 0 ? 1 : part / whole)

const labelKey = ({ category, content, explicit }: Labelled['facts'][number]) =>
  `${category} ${explicit ? 'explicit' : 'implicit'} ${content}`
const factKey = ({ category, content, sourceType }: Fact) => `${category} ${sourceType} ${content}`
