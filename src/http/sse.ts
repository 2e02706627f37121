import { type Json, stringifyJson } from '../domain/json.ts'

/** Milliseconds between signs of life on a stream that has nothing to say. Proxies give up after a minute or so. */
const HEARTBEAT = 15_000

/** What a caller may see of a problem in the middle of a stream. */
type ProblemText = (error: unknown) => string

/** One server-sent event. */
export function sseEvent(data: string, { id, event }: { id?: number | undefined; event?: string } = {}): string {
  const head = `${id === undefined ? '' : `id: ${id}\n`}${event === undefined ? '' : `event: ${event}\n`}`
  return `${head}data: ${data}\n\n`
}

/**
 * The items as server-sent events, with comments in between while there are none. Pulled by the socket, so a slow reader
 * costs no memory. What goes wrong is the last event.
 */
export async function* sseOf(
  items: AsyncIterable<unknown>,
  problem: ProblemText,
  heartbeat = HEARTBEAT,
): AsyncGenerator<string> {
  const iterator = items[Symbol.asyncIterator]()
  const waiting = new Waiting(heartbeat)
  try {
    // at once, so that the caller sees that the stream stands
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

/** Long work: how far it is, as often as it says so, then what came of it. */
export async function* sseOfWork(
  work: (onProgress: (progress: unknown) => void) => Promise<unknown>,
  problem: ProblemText,
  heartbeat = HEARTBEAT,
): AsyncGenerator<string> {
  const waiting = new Waiting(heartbeat)
  // only the last word counts: a slow reader gets fewer of them
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

/** Something that is on its way, and whether it has come. */
interface Coming<T> {
  readonly value: Promise<T>
  settled: boolean
}

/** Waits for what comes, and in between for the time of a heartbeat. One timer serves a stream all its life. */
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

  /** Whether it has come by the time that something woke us. */
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
