import type { TextAnalysis } from '../../domain/recall/analyze.ts'
import { blockOfTurn, encodePosting } from '../../domain/recall/postings.ts'
import { LONG_MESSAGE_TERMS } from '../../domain/recall/weights.ts'
import type { NewMessage, PostingBlock } from '../../ports/recall-index.ts'

/** New index entries of a session within one block of turns. */
interface Block {
  block: number
  /** First turn of the entries. */
  turn: number
  messages: number
  words: number
  long: number
  postings: Map<string, Uint8Array[]>
}

/** The words of messages as one array per column: the w_* and b_* parameters of `context.index_messages`. */
export function wordColumns(messages: readonly Pick<NewMessage, 'turn' | 'words'>[]): unknown[] {
  const blocks: Block[] = []
  for (const { turn, words } of messages) {
    const number = blockOfTurn(turn)
    let block = blocks.at(-1)
    if (block?.block !== number) {
      block = { block: number, turn, messages: 0, words: 0, long: 0, postings: new Map() }
      blocks.push(block)
    }
    block.messages += 1
    block.words += words.length
    block.long += isLong(words) ? 1 : 0
    for (const [term, places] of words.places) {
      const bytes = encodePosting({ turn, length: words.length, asks: words.asks, places })
      const before = block.postings.get(term)
      if (before) before.push(bytes)
      else block.postings.set(term, [bytes])
    }
  }
  const postings = blocks.flatMap(({ block, postings }) =>
    Array.from(postings, ([term, parts]) => ({ block, term, parts })),
  )
  return [
    postings.map(({ block }) => block),
    postings.map(({ term }) => term),
    postings.map(({ parts }) => parts.length),
    postings.map(({ parts }) => Buffer.concat(parts)),
    blocks.map(({ block }) => block),
    blocks.map(({ turn }) => turn),
    blocks.map(({ messages }) => messages),
    blocks.map(({ words }) => words),
    blocks.map(({ long }) => long),
  ]
}

/** The words of memories as one array per column: the w_* and b_* parameters of `context.write_memory_change`. */
export function memoryWordColumns(memories: readonly { id: string; words: TextAnalysis }[]): unknown[] {
  const postings = memories.flatMap(({ id, words: { places, length, asks } }) =>
    // a memory is indexed as one message, turn 1
    Array.from(places, ([term, at]) => ({ id, term, data: encodePosting({ turn: 1, length, asks, places: at }) })),
  )
  return [
    postings.map(({ id }) => id),
    postings.map(({ term }) => term),
    postings.map(({ data }) => data),
    memories.map(({ id }) => id),
    memories.map(({ words }) => words.length),
    memories.map(({ words }) => (isLong(words) ? 1 : 0)),
  ]
}

function isLong({ length }: TextAnalysis): boolean {
  return length > LONG_MESSAGE_TERMS
}

/** Decodes the blocks of a term in order; `context.read_postings` packs the last one first. */
export function unpackPostings(term: string, packed: Buffer): PostingBlock[] {
  const blocks: PostingBlock[] = []
  for (let at = 0; at < packed.length; ) {
    const data = at + 24
    const end = data + packed.readInt32BE(at + 20)
    blocks.push({
      term,
      session: readUuid(packed, at),
      block: packed.readInt32BE(at + 16),
      data: packed.subarray(data, end),
    })
    at = end
  }
  return blocks.reverse()
}

function readUuid(bytes: Buffer, at: number): string {
  const hex = bytes.toString('hex', at, at + 16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
