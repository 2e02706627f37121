/** Parses a query: terms, the named speaker, and hints about time and number. */

import { parseQueryDate, type QueryDate } from './dates.ts'
import { isStopWord, term, words } from './text.ts'

/** A term and its word position in the query. */
export interface QueryTerm {
  readonly term: string
  readonly place: number
}

export interface ParsedQuery {
  readonly terms: readonly QueryTerm[]
  /** Alternative spellings of compounds: "roadtrip" for "road trip" and vice versa. */
  readonly compounds: ReadonlyArray<readonly string[]>
  /** The speaker it is about: the first one named ("Did Ann lend Bob …"), none for "Ann and Bob". */
  readonly subject: string | undefined
  readonly date: QueryDate | undefined
  readonly asksWhen: boolean
  readonly asksCount: boolean
}

const WHEN = /\bwhen\b|\bhow long ago\b|\b(?:what|which) (?:date|day|month|year|time|season|week)\b/
const COUNT = /\bhow (?:many|much|long|old|often|far|big|tall)\b|\bwhat (?:age|number)\b/
/** Roles have no names: "I" is the user, and "you" did something is the assistant. */
const USER = 'user'
export const ASSISTANT = 'assistant'
const I = /\b(?:i|my|me|mine|myself)\b/
/** Something "you" did. A plain "you" is only addressed, as in "can you remind me". */
const YOU_DID =
  /\b(?:did|had) you (?!(?:remember|know|recall)\b)|\byou (?:\w+ly |had |have |also )?(?:\w+ed|said|told|gave|wrote|made|sent|put|did)\b|\byour (?:\w+ )?(?:advice|answer|suggestion|recommendation|list|reply|response|explanation|example)/

/** Returns the role that a query is about. */
function roleOf(lower: string): string | undefined {
  if (YOU_DID.test(lower)) return ASSISTANT
  return I.test(lower) ? USER : undefined
}

const MAX_TERMS = 64
const SHORTEST_NICKNAME = 3
const SHORTEST_COMPOUND = 7
const LONGEST_COMPOUND = 20

/** Returns words that name a speaker: part of the name, or a short form ("Alex" for "Alexandra"). */
function namingWords(speaker: string, asked: ReadonlySet<string>): string[] {
  return words(speaker).flatMap((word) => {
    const lengths = Array.from(
      { length: Math.max(0, word.length - SHORTEST_NICKNAME) },
      (_, i) => SHORTEST_NICKNAME + i,
    )
    return [...lengths.map((length) => word.slice(0, length)), word].filter((form) => asked.has(form))
  })
}

function compoundSplits(word: string): string[] {
  if (word.length < SHORTEST_COMPOUND || word.length > LONGEST_COMPOUND || !/^[a-z]+$/.test(word)) return []
  return Array.from({ length: word.length - 5 }, (_, i) => [word.slice(0, i + 3), word.slice(i + 3)]).flatMap(
    (pair) => {
      const [left = '', right = ''] = pair
      return isStopWord(left) || isStopWord(right) ? [] : [`${term(left)} ${term(right)}`]
    },
  )
}

function findSubject(
  lower: string,
  all: readonly string[],
  maybeNames: ReadonlySet<string>,
  speakers: readonly string[],
) {
  const nameWords = new Set<string>()
  const placeOf = new Map(all.map((word, place) => [word, place] as const).reverse())
  const named: Array<{ speaker: string; place: number }> = []
  for (const speaker of speakers) {
    const by = namingWords(speaker, maybeNames)
    if (speaker === USER || speaker === ASSISTANT) {
      if (roleOf(lower) === speaker) named.push({ speaker, place: 0 })
    } else if (by.length > 0) named.push({ speaker, place: Math.min(...by.map((word) => placeOf.get(word) ?? 0)) })
    for (const word of by) nameWords.add(word)
  }
  named.sort((a, b) => a.place - b.place)
  const [first, second] = named
  const joined = second !== undefined && (first?.place === second.place || /\b(?:and|both|or)\b/.test(lower))
  return { nameWords, subject: joined ? undefined : first?.speaker }
}

/** Parses a query. `speakers` are the ids or names known to the index. */
export function parseQuery(text: string, speakers: readonly string[]): ParsedQuery {
  const lower = text.toLowerCase()
  const all = words(text)
  // names have capitals, unless the query has none at all
  const capitals = text.slice(1) === lower.slice(1) ? text : (text.match(/\p{Lu}[\p{L}'’]*/gu) ?? []).join(' ')
  const maybeNames = new Set(words(capitals).filter((word) => !isStopWord(word)))
  const { subject, nameWords } = findSubject(lower, all, maybeNames, speakers)

  const terms: QueryTerm[] = []
  const compounds: string[][] = []
  const seen = new Set<string>()
  all.forEach((word, i) => {
    if (isStopWord(word) || nameWords.has(word) || terms.length >= MAX_TERMS) return
    const key = term(word)
    const next = all[i + 1]
    if (next !== undefined && !isStopWord(next) && !nameWords.has(next)) compounds.push([term(word + next)])
    if (seen.has(key)) return
    seen.add(key)
    terms.push({ term: key, place: i })
    for (const pair of compoundSplits(word)) compounds.push([key, ...pair.split(' ')])
  })
  return {
    terms,
    compounds,
    subject,
    date: parseQueryDate(text),
    asksWhen: WHEN.test(lower),
    asksCount: COUNT.test(lower),
  }
}
