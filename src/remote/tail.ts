import type { TailOptions } from '../api.ts'
import { TooManyStreamsError } from '../domain/errors.ts'
import type { SessionEvent } from '../domain/event.ts'
import { defined } from '../domain/optional.ts'
import { parse } from '../features/kernel/parse.ts'
import { tailOptions } from '../features/log/schema.ts'
import type { Connection } from './connection.ts'
import { queryString } from './path.ts'
import { Backoff } from './retry.ts'
import { RetryableError } from './retryable-error.ts'

/** Replays, then follows. Reopens a broken stream after the last event received, so none is missed or repeated. */
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
  const { timeouts, closeSignal } = connection
  const isOver = () => closeSignal.aborted || signal?.aborted === true
  const backoff = new Backoff(timeouts, timeouts.tail)
  let wasConnected = false
  const onActivity = () => {
    wasConnected = true
    backoff.reset()
  }
  for (let last = after; !isOver(); ) {
    let failure = connection.connectionLost()
    try {
      const call = { method: 'GET', path: `${path}/stream${queryString({ after: last })}` } as const
      for await (const { event, data } of connection.stream(call, { ...defined({ signal }), onActivity })) {
        if (isOver()) return
        if (event !== 'message') continue
        const next = JSON.parse(data) as SessionEvent
        last = next.sequence
        yield next
      }
    } catch (error) {
      if (isOver()) return
      failure = toRetryable(error, wasConnected)
    }
    const stop = signal === undefined ? closeSignal : AbortSignal.any([signal, closeSignal])
    if (!(await backoff.next(failure.retryAfterMs, stop)) && !isOver()) throw failure.error
  }
}

/** Throws errors that another attempt cannot fix. */
function toRetryable(error: unknown, wasConnected: boolean): RetryableError {
  if (error instanceof RetryableError) return error
  // the server may still count our broken stream for a moment
  if (error instanceof TooManyStreamsError && wasConnected) return new RetryableError(error, false)
  throw error
}
