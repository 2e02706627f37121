import type { ExportedEvent, SessionBlock } from '../api.ts'
import type { PlacedEvent } from './transcript-log.ts'

/** Maximum events per block, and characters of their contents and parts. */
const MAX_EVENTS = 500
const MAX_SIZE = 4 * 1024 * 1024

/** Groups events into blocks. Those of one session follow each other. */
export async function* blocksOf(placed: AsyncIterable<PlacedEvent>): AsyncGenerator<SessionBlock, undefined> {
  let block: { sessionId: string; events: ExportedEvent[] } | undefined
  let size = 0
  for await (const { sessionId, event } of placed) {
    const more = event.content.length + JSON.stringify(event.parts ?? null).length
    if (block !== undefined) {
      const isDone = block.sessionId !== sessionId
      if (isDone || block.events.length === MAX_EVENTS || size + more > MAX_SIZE) {
        yield { ...block, done: isDone }
        block = undefined
      }
    }
    if (block === undefined) {
      block = { sessionId, events: [] }
      size = 0
    }
    block.events.push(event)
    size += more
  }
  if (block !== undefined) yield { ...block, done: true }
  return undefined
}
