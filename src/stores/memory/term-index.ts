import type { TextAnalysis } from '../../domain/recall/analyze.ts'
import { blockOfTurn, encodePosting } from '../../domain/recall/postings.ts'
import { LONG_MESSAGE_TERMS } from '../../domain/recall/weights.ts'
import type { IndexPartition, Lookup, NewMessage, PostingBlock } from '../../ports/recall-index.ts'

/** Most speakers in a lookup. */
const MAX_SPEAKERS = 500

/** The indexed messages of one partition. */
export interface TermIndex {
  /** Messages by session (or memory id), then by turn in ascending order. */
  messages: Map<string, Map<number, NewMessage>>
  /** Sessions that contain a term. */
  sessionsByTerm: Map<string, Set<string>>
}

/** The index of a partition, created if it is missing. */
export function termIndexOf(partitions: Map<string, TermIndex>, { tenant, userId, corpus }: IndexPartition): TermIndex {
  const key = JSON.stringify([tenant, userId, corpus])
  const words = partitions.get(key) ?? { messages: new Map(), sessionsByTerm: new Map() }
  partitions.set(key, words)
  return words
}

/** Copies a description completely before anything is written. */
export function copyDescription(description: TextAnalysis): TextAnalysis {
  return { ...description, places: new Map(Array.from(description.places, ([term, places]) => [term, [...places]])) }
}

/** Appends messages to those of the session. */
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

/** Removes a session from the index. */
export function removeMessages({ messages, sessionsByTerm: holders }: TermIndex, session: string): void {
  for (const { words } of messages.get(session)?.values() ?? []) {
    for (const term of words.places.keys()) {
      holders.get(term)?.delete(session)
      if (holders.get(term)?.size === 0) holders.delete(term)
    }
  }
  messages.delete(session)
}

/** Counts of a partition. Memories have no speakers. */
export function countTerms(words: TermIndex, corpus: IndexPartition['corpus'], terms: readonly string[]): Lookup {
  const messages = [...words.messages.values()].flatMap((turns) => [...turns.values()])
  const spoken = new Map<string, number>()
  if (corpus === 'messages') for (const { speaker } of messages) spoken.set(speaker, (spoken.get(speaker) ?? 0) + 1)
  const speakers = [...spoken].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([speaker]) => speaker)
  return {
    messages: messages.length,
    terms: messages.reduce((sum, { words: { length } }) => sum + length, 0),
    longMessages: messages.filter(({ words: { length } }) => length > LONG_MESSAGE_TERMS).length,
    speakers: speakers.slice(0, MAX_SPEAKERS),
    frequencies: new Map(terms.map((term) => [term, messagesWith(words, term).length])),
  }
}

/** The last `limit` blocks of a term. */
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

/** The messages that contain a term, by session and turn. */
function messagesWith(
  { messages, sessionsByTerm: holders }: TermIndex,
  term: string,
): Array<readonly [session: string, message: NewMessage]> {
  return [...(holders.get(term) ?? [])].sort().flatMap((session) => {
    const here = [...(messages.get(session)?.values() ?? [])].filter(({ words }) => words.places.has(term))
    return here.map((message) => [session, message] as const)
  })
}

export function lastItems<Item>(items: readonly Item[], count: number): Item[] {
  return items.slice(Math.max(0, items.length - count))
}
