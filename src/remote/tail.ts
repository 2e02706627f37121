import type { TailOptions } from '../api.ts'
import { TooManyStreamsError } from '../domain/errors.ts'
import type { SessionEvent } from '../domain/event.ts'
import { parse } from '../features/kernel/parse.ts'
import { tailOptions } from '../features/log/schema.ts'
import type { Connection } from './connection.ts'
import { queryString } from './request.ts'
import { Backoff } from './retry.ts'
import { RetryableError } from './retryable-error.ts'

/** Replays, then follows. A stream that breaks is taken up behind the last event that came, so none is missed or repeated. */
export function tailEvents(
  connection: Connection,
  path: string,
  options: TailOptions = {},
): AsyncGenerator<SessionEvent> {
  const { after = 0, signal } = parse(tailOptions, options)
  return follow(connection, path, after, signal)
}

async function* follow(
  connection: Connection,
  path: string,
  after: number,
  signal: AbortSignal | undefined,
): AsyncGenerator<SessionEvent> {
  const { timeouts: patience, closeSignal: closed } = connection
  const isOver = () => closed.aborted || signal?.aborted === true
  const backoff = new Backoff(patience, patience.tail)
  let stood = false
  const options = {
    ...(signal !== undefined && { signal }),
    onLife() {
      stood = true
      backoff.reset()
    },
  }
  for (let seen = after; !isOver(); ) {
    let failure = connection.connectionLost()
    try {
      const call = { method: 'GET', path: `${path}/stream${queryString({ after: seen })}` } as const
      for await (const { event, data } of connection.stream(call, options)) {
        if (isOver()) return
        if (event !== 'message') continue
        const next = JSON.parse(data) as SessionEvent
        seen = next.sequence
        yield next
      }
    } catch (error) {
      if (isOver()) return
      failure = toRetryable(error, stood)
    }
    const stopping = signal === undefined ? closed : AbortSignal.any([signal, closed])
    if (!(await backoff.next(failure.retryAfterMs, stopping)) && !isOver()) throw failure.error
  }
}

/** What is worth another try; throws all else. */
function toRetryable(error: unknown, stood: boolean): RetryableError {
  if (error instanceof RetryableError) return error
  // the server may count a stream that broke for a moment longer than we do
  if (error instanceof TooManyStreamsError && stood) return new RetryableError(error, false)
  throw error
}
