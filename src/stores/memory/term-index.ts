import type { TextAnalysis } from '../../domain/recall/analyze.ts'
import { blockOfTurn, encodePosting } from '../../domain/recall/postings.ts'
import { LONG_MESSAGE_TERMS } from '../../domain/recall/weights.ts'
import type { IndexPartition, Lookup, NewMessage, PostingBlock } from '../../ports/recall-index.ts'

/** Most speakers that a lookup names. */
const MAX_SPEAKERS = 500

/** The words on one shelf of a user. */
export interface TermIndex {
  /** Messages by session, or by the id of the memory, and by turn, in its order. */
  messages: Map<string, Map<number, NewMessage>>
  /** Sessions that hold a term. */
  sessionsByTerm: Map<string, Set<string>>
}

/** The shelf, made if it is not there. */
export function termIndexOf(
  shelves: Map<string, TermIndex>,
  { tenant, userId, corpus: shelf }: IndexPartition,
): TermIndex {
  const key = JSON.stringify([tenant, userId, shelf])
  const words = shelves.get(key) ?? { messages: new Map(), sessionsByTerm: new Map() }
  shelves.set(key, words)
  return words
}

/** The description as the shelf keeps it, read to its end before anything is written. */
export function copyDescription(description: TextAnalysis): TextAnalysis {
  return { ...description, places: new Map(Array.from(description.places, ([term, places]) => [term, [...places]])) }
}

/** Puts messages behind those that the shelf has of the session. */
export function addMessages(
  { messages, sessionsByTerm: holders }: TermIndex,
  session: string,
  more: readonly NewMessage[],
): void {
  const turns = messages.get(session) ?? new Map()
  messages.set(session, turns)
  for (const message of more) {
    turns.set(message.turn, message)
    for (const term of message.words.places.keys()) holders.set(term, (holders.get(term) ?? new Set()).add(session))
  }
}

/** Takes a session off the shelf. */
export function removeMessages({ messages, sessionsByTerm: holders }: TermIndex, session: string): void {
  for (const { words } of messages.get(session)?.values() ?? []) {
    for (const term of words.places.keys()) {
      holders.get(term)?.delete(session)
      if (holders.get(term)?.size === 0) holders.delete(term)
    }
  }
  messages.delete(session)
}

/** Counts what is on the shelf. Memories are said by nobody. */
export function countTerms(words: TermIndex, shelf: IndexPartition['corpus'], terms: readonly string[]): Lookup {
  const messages = [...words.messages.values()].flatMap((turns) => [...turns.values()])
  const spoken = new Map<string, number>()
  if (shelf === 'said') for (const { speaker } of messages) spoken.set(speaker, (spoken.get(speaker) ?? 0) + 1)
  const speakers = [...spoken].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([speaker]) => speaker)
  return {
    messages: messages.length,
    terms: messages.reduce((sum, { words: { length } }) => sum + length, 0),
    longMessages: messages.filter(({ words: { length } }) => length > LONG_MESSAGE_TERMS).length,
    speakers: speakers.slice(0, MAX_SPEAKERS),
    frequencies: new Map(terms.map((term) => [term, messagesWith(words, term).length])),
  }
}

/** Blocks of one term, the last `limit` of them. */
export function postingBlocks(words: TermIndex, term: string, limit: number): PostingBlock[] {
  const blocks = new Map<string, { session: string; block: number; data: number[] }>()
  for (const [session, { turn, words: description }] of messagesWith(words, term)) {
    const block = blockOfTurn(turn)
    const found = blocks.get(`${session} ${block}`) ?? { session, block, data: [] }
    blocks.set(`${session} ${block}`, found)
    found.data.push(...encodePosting({ ...description, turn, places: description.places.get(term) ?? [] }))
  }
  return lastItems([...blocks.values()], limit).map((each) => ({ term, ...each, data: Uint8Array.from(each.data) }))
}

/** The messages that hold a term, by session and turn. */
function messagesWith(
  { messages, sessionsByTerm: holders }: TermIndex,
  term: string,
): Array<readonly [session: string, message: NewMessage]> {
  return [...(holders.get(term) ?? [])].sort().flatMap((session) => {
    const here = [...(messages.get(session)?.values() ?? [])].filter(({ words }) => words.places.has(term))
    return here.map((message) => [session, message] as const)
  })
}

/** The last so many. */
export function lastItems<Item>(items: readonly Item[], count: number): Item[] {
  return items.slice(Math.max(0, items.length - count))
}
