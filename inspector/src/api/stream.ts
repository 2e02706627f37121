import { EventSourceParserStream } from 'eventsource-parser/stream'
import { ofSession, Problem, send } from './client.ts'
import type { SessionEvent } from './types.ts'

/** Events of a session behind `after`, then each new one, until the signal, the end of the stream, or a {@link Problem}. */
export async function* follow(id: string, after: number, signal: AbortSignal): AsyncGenerator<SessionEvent> {
  const accept = 'text/event-stream'
  const response = await send(ofSession(id, '/stream'), { query: { after }, signal, accept })
  const messages = response.body?.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
  if (messages === undefined) return
  for await (const { event, data } of messages) {
    if (event === 'end') return
    if (event === 'problem') throw new Problem(JSON.parse(data))
    yield JSON.parse(data) as SessionEvent
  }
}
