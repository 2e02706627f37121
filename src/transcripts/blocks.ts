import type { ExportedEvent, SessionBlock } from '../../api.ts'

/** Maximum events per block, and characters of their contents and parts. */
const MAX_EVENTS = 500
const MAX_SIZE = 4 * 1024 * 1024

/** Groups the events of one session into blocks. */
export async function* blocksOf(
  sessionId: string,
  events: AsyncIterable<ExportedEvent>,
): AsyncGenerator<SessionBlock, undefined> {
  let block: ExportedEvent[] = []
  let size = 0
  for await (const event of events) {
    const more = event.content.length + JSON.stringify(event.parts ?? null).length
    if (block.length === MAX_EVENTS || (block.length > 0 && size + more > MAX_SIZE)) {
      yield { sessionId, events: block, done: false }
      block = []
      size = 0
    }
    block.push(event)
    size += more
  }
  if (block.length > 0) yield { sessionId, events: block, done: true }
  return undefined
}
