import { TooManyStreamsError, UnavailableError } from '../domain/errors.ts'

/** How much the server takes at once. */
export interface Limits {
  /** Bytes of one body. @default 32 MiB */
  body: number
  /** Requests that are worked on at the same moment. @default 1000 */
  requests: number
  /** Bytes of all bodies that are worked on at the same moment. @default 256 MiB */
  bodies: number
  /** Streams that are open at the same moment. @default 5000 */
  streams: number
  /** Of them by one caller. @default 100 */
  streamsPerCaller: number
  /** Milliseconds for a request to arrive whole. @default 60,000 */
  requestTimeoutMs: number
  /** Milliseconds that a stop waits for what was accepted. @default 10,000 */
  stopTimeoutMs: number
}

export const DEFAULT_LIMITS: Limits = {
  body: 32 * 1024 * 1024,
  requests: 1000,
  bodies: 256 * 1024 * 1024,
  streams: 5000,
  streamsPerCaller: 100,
  requestTimeoutMs: 60_000,
  stopTimeoutMs: 10_000,
}

/** A request that was let in. */
export interface Visit {
  /** More of its body has come; throws `UnavailableError` if that is too much for now. */
  carry(bytes: number): void
  leave(): void
}

/** Who is let in: what is too much at once is refused at the door, so that what is inside gets done. */
export class Admission {
  readonly #limits: Limits
  readonly #onStream: (change: 1 | -1) => void
  readonly #streams = new Map<string, number>()
  #requests = 0
  #bytes = 0
  #open = 0
  #stopping = false
  #waiting: (() => void)[] = []

  /** @param onStream is told of each stream that begins or ends */
  constructor(limits: Limits, onStream: (change: 1 | -1) => void = () => {}) {
    this.#limits = limits
    this.#onStream = onStream
  }

  /** Counts a request in, or throws `UnavailableError`. */
  enter(): Visit {
    if (this.#stopping) throw new UnavailableError('stopping')
    if (this.#requests >= this.#limits.requests) throw new UnavailableError('busy')
    this.#requests++
    let bytes = 0
    return {
      // what has arrived counts, not what was announced: a caller who sends nothing holds up nobody
      carry: (more) => {
        if (this.#bytes + more > this.#limits.bodies) throw new UnavailableError('busy')
        this.#bytes += more
        bytes += more
      },
      leave: once(() => {
        this.#requests--
        this.#bytes -= bytes
        if (this.#requests === 0) for (const told of this.#waiting.splice(0)) told()
      }),
    }
  }

  /** Counts a stream of a caller in, or throws. @returns counts it out */
  follow(caller: string): () => void {
    const own = this.#streams.get(caller) ?? 0
    if (own >= this.#limits.streamsPerCaller) throw new TooManyStreamsError(this.#limits.streamsPerCaller)
    if (this.#open >= this.#limits.streams) throw new UnavailableError('busy')
    this.#open++
    this.#onStream(1)
    this.#streams.set(caller, own + 1)
    return once(() => {
      this.#open--
      this.#onStream(-1)
      const left = (this.#streams.get(caller) ?? 1) - 1
      if (left === 0) this.#streams.delete(caller)
      else this.#streams.set(caller, left)
    })
  }

  /** Lets nobody in any more. */
  stop(): void {
    this.#stopping = true
  }

  /** Resolves when nothing is worked on, also not for callers who have gone. */
  async settled(): Promise<void> {
    if (this.#requests === 0) return
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve)
    })
  }
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
