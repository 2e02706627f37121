import { blockOfTurn, encodePosting } from '../../domain/recall/postings.ts'
import { LONG_MESSAGE_TERMS } from '../../domain/recall/weights.ts'
import type { NewMessage } from '../../ports/recall-index.ts'

/** Postings of one block of a session. */
export interface BlockPostings {
  readonly block: number
  messages: number
  /** Sum of the message lengths in terms. */
  length: number
  longMessages: number
  /** Sorted, so that neighbors in the index are written together. */
  terms: Map<string, TermPostings>
}

/** The messages of a block that contain a term. */
export interface TermPostings {
  messages: number
  data: Uint8Array
}

/** Groups the postings of messages by block and term, so each row of the index is written once. */
export function groupPostings(messages: readonly Pick<NewMessage, 'turn' | 'words'>[]): BlockPostings[] {
  const blocks = new Map<number, BlockPostings>()
  for (const { turn, words } of messages) {
    const block = blockOfTurn(turn)
    const into = blocks.get(block) ?? { block, messages: 0, length: 0, longMessages: 0, terms: new Map() }
    blocks.set(block, into)
    into.messages += 1
    into.length += words.length
    if (words.length > LONG_MESSAGE_TERMS) into.longMessages += 1
    for (const [term, places] of words.places) {
      const data = encodePosting({ turn, length: words.length, asks: words.asks, places })
      const found = into.terms.get(term)
      if (found === undefined) {
        into.terms.set(term, { messages: 1, data })
        continue
      }
      found.messages += 1
      found.data = Buffer.concat([found.data, data])
    }
  }
  for (const into of blocks.values()) into.terms = new Map([...into.terms].sort(([a], [b]) => (a < b ? -1 : 1)))
  return [...blocks.values()]
}
