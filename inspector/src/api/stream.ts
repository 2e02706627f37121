import { EventSourceParserStream } from 'eventsource-parser/stream'
import { Problem, send, sessionPath } from './client.ts'
import type { SessionEvent } from './types.ts'

/** Milliseconds of silence after which a connection is closed: the server sends a comment every 15 seconds. */
const SILENCE = 40_000

/**
 * Streams the events of a session after `after`, then each new one, until the signal, the end of the stream, silence
 * or a {@link Problem}. Resolves once the stream is open.
 */
export async function followEvents(
  id: string,
  after: number,
  signal: AbortSignal,
): Promise<AsyncIterable<SessionEvent>> {
  const silence = new IdleTimeout()
  try {
    const response = await send(sessionPath(id, '/stream'), {
      query: { after },
      signal: AbortSignal.any([signal, silence.signal]),
      accept: 'text/event-stream',
    })
    return eventsIn(response, silence)
  } catch (error) {
    silence.end()
    throw error
  }
}

async function* eventsIn({ body }: Response, silence: IdleTimeout): AsyncGenerator<SessionEvent> {
  const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(bytes, control) {
      silence.broken()
      control.enqueue(bytes)
    },
  })
  try {
    const messages = body
      ?.pipeThrough(heard)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(new EventSourceParserStream())
    for await (const { event, data } of messages ?? []) {
      if (event === 'end') return
      if (event === 'problem') throw new Problem(JSON.parse(data))
      yield JSON.parse(data) as SessionEvent
    }
  } finally {
    silence.end()
  }
}

/** Aborts its signal after {@link SILENCE} without a byte. */
class IdleTimeout {
  readonly #control = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly signal = this.#control.signal

  constructor() {
    this.broken()
  }

  broken(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#control.abort(), SILENCE)
  }

  end(): void {
    clearTimeout(this.#timer)
  }
}
