import { type Json, stringifyJson } from '../domain/json.ts'
import { nextTurn } from '../features/kernel/next-turn.ts'

/** Characters after which a piece of a response ends. A smaller one is the whole response, or its end. */
export const PIECE = 512 * 1024

/** A list whose items are read in batches, as they are sent. */
type Batches = AsyncIterable<readonly Json[]>

/** Sees each batch of a list before it is sent. */
export type OnBatch = (key: string, items: readonly Json[]) => void

/**
 * The JSON text of a response in pieces, so that neither the whole text is in memory nor other requests wait for it.
 * Its lists are divided between items. A list may also be {@link Batches}.
 */
export async function* jsonPieces(response: object, onBatch: OnBatch): AsyncGenerator<string> {
  let text = ''
  let before = '{'
  /** The text so far, which is then held by its reader alone. */
  const take = () => {
    const taken = text
    text = ''
    return taken
  }
  for (const [key, value] of Object.entries(response) as [string, Json | Batches | undefined][]) {
    if (value === undefined) continue
    text += `${before}${JSON.stringify(key)}:`
    before = ','
    if (!Array.isArray(value) && !isBatches(value)) {
      text += stringifyJson(value)
      continue
    }
    let separator = '['
    for await (const items of isBatches(value) ? observed(key, value, onBatch) : [value as readonly Json[]]) {
      for (const item of items) {
        text += separator + stringifyJson(item)
        separator = ','
        if (text.length < PIECE) continue
        await nextTurn()
        yield take()
      }
    }
    text += separator === '[' ? '[]' : ']'
  }
  // its reader encodes it: of 8 Mi control characters, both together took 180 ms
  if (text.length >= PIECE) await nextTurn()
  yield before === '{' ? '{}' : `${text}}`
}

/** Whether a list of the response comes in batches. */
export function isStreamed(response: unknown): boolean {
  return typeof response === 'object' && response !== null && Object.values(response).some(isBatches)
}

function isBatches(value: Json | Batches | undefined): value is Batches {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

async function* observed(key: string, batches: Batches, onBatch: OnBatch): Batches {
  for await (const items of batches) {
    onBatch(key, items)
    yield items
  }
}
