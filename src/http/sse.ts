import { type Json, stringifyJson } from '../domain/json.ts'

/** Milliseconds between heartbeats on an idle stream. Proxies close idle connections after about a minute. */
const HEARTBEAT = 15_000

/** Renders an error in the middle of a stream as the caller may see it. */
type ProblemText = (error: unknown) => string

/** One server-sent event. */
export function sseEvent(data: string, { id, event }: { id?: number | undefined; event?: string } = {}): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
  return `${head}data: ${data}\n\n`
}

/**
 * The items as server-sent events, with heartbeat comments while there are none. Pulled by the socket, so a slow reader
 * costs no memory. An error is the last event.
 */
export async function* sseOf(
  items: AsyncIterable<unknown>,
  problem: ProblemText,
  heartbeat = HEARTBEAT,
): AsyncGenerator<string> {
  const iterator = items[Symbol.asyncIterator]()
  const waiting = new Waiting(heartbeat)
  try {
    // at once, so that the caller sees the stream is open
    yield ': here\n\n'
    for (let next = waiting.for(iterator.next()); ; next = waiting.for(iterator.next())) {
      while (!next.settled) if (!(await waiting.until(next))) yield ': still here\n\n'
      const result = await next.value
      if (result.done === true) break
      const { sequence } = result.value as { sequence?: number }
      yield sseEvent(stringifyJson(result.value as Json), { id: sequence })
    }
    yield sseEvent('{}', { event: 'end' })
  } catch (error) {
    yield sseEvent(problem(error), { event: 'problem' })
  } finally {
    waiting.end()
    await iterator.return?.()
  }
}

/** Long work as a stream: progress events, then the result. */
export async function* sseOfWork(
  work: (onProgress: (progress: unknown) => void) => Promise<unknown>,
  problem: ProblemText,
  heartbeat = HEARTBEAT,
): AsyncGenerator<string> {
  const waiting = new Waiting(heartbeat)
  // only the latest progress counts: a slow reader gets fewer events
  let latest: unknown
  const done = waiting.for(
    work((progress) => {
      latest = progress
      waiting.ring()
    }),
  )
  try {
    yield ': here\n\n'
    while (!done.settled || latest !== undefined) {
      if (latest === undefined && !(await waiting.until(done)) && latest === undefined) yield ': still here\n\n'
      if (latest === undefined) continue
      const progress = latest
      latest = undefined
      yield sseEvent(stringifyJson(progress as Json), { event: 'progress' })
    }
    yield sseEvent(stringifyJson(((await done.value) ?? null) as Json), { event: 'result' })
  } catch (error) {
    yield sseEvent(problem(error), { event: 'problem' })
  } finally {
    waiting.end()
  }
}

/** A promise that knows whether it is settled. */
interface Coming<T> {
  readonly value: Promise<T>
  settled: boolean
}

/** Waits for the next item or the next heartbeat. One timer serves a stream for all its life. */
class Waiting {
  readonly #timer: NodeJS.Timeout
  #wake: () => void = () => {}

  constructor(heartbeat: number) {
    this.#timer = setInterval(() => this.#wake(), heartbeat)
  }

  for<T>(value: Promise<T>): Coming<T> {
    const coming: Coming<T> = { value, settled: false }
    const settle = () => {
      coming.settled = true
      this.#wake()
    }
    value.then(settle, settle)
    return coming
  }

  ring(): void {
    this.#wake()
  }

  /** Whether the item had arrived when the wait ended. */
  async until(coming: Coming<unknown>): Promise<boolean> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    return coming.settled
  }

  end(): void {
    clearInterval(this.#timer)
  }
}
