import { TooManyStreamsError, UnavailableError } from '../domain/errors.ts'

/** How much the server accepts at once. */
export interface Limits {
  /** Bytes of one body. @default 32 MiB */
  body: number
  /** Concurrent requests. @default 1000 */
  requests: number
  /** Bytes of all bodies in progress. @default 256 MiB */
  bodies: number
  /** Open streams. @default 5000 */
  streams: number
  /** Open streams of one caller. @default 100 */
  streamsPerCaller: number
  /** Milliseconds for a whole request to arrive. @default 60,000 */
  requestTimeoutMs: number
  /**
   * Milliseconds without progress after which a large response or a stream is cut off. Must be longer than the 15 s
   * between heartbeats of an idle stream. @default 60,000
   */
  stallTimeoutMs: number
  /** Milliseconds that a stop waits for accepted requests. @default 10,000 */
  stopTimeoutMs: number
}

export const DEFAULT_LIMITS: Limits = {
  body: 32 * 1024 * 1024,
  requests: 1000,
  bodies: 256 * 1024 * 1024,
  streams: 5000,
  streamsPerCaller: 100,
  requestTimeoutMs: 60_000,
  stallTimeoutMs: 60_000,
  stopTimeoutMs: 10_000,
}

/** An admitted request. */
export interface Visit {
  /** Counts arrived bytes of its body; throws `UnavailableError` if the total is too much for now. */
  carry(bytes: number): void
  leave(): void
}

/** Admission control: refuses what is too much at once, so that accepted work gets done. */
export class Admission {
  readonly #limits: Limits
  readonly #onStream: (change: 1 | -1) => void
  readonly #streams = new Map<string, number>()
  #requests = 0
  #bytes = 0
  #open = 0
  #stopping = false
  #waiting: (() => void)[] = []

  /** @param onStream called when a stream opens or closes */
  constructor(limits: Limits, onStream: (change: 1 | -1) => void = () => {}) {
    this.#limits = limits
    this.#onStream = onStream
  }

  /** Admits a request, or throws `UnavailableError`. */
  enter(): Visit {
    if (this.#stopping) throw new UnavailableError('stopping')
    if (this.#requests >= this.#limits.requests) throw new UnavailableError('busy')
    this.#requests++
    let bytes = 0
    return {
      // count arrived bytes, not announced ones: a caller who sends nothing must not block others
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

  /** Admits a stream of a caller, or throws. @returns releases it */
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

  /** Admits nothing more. */
  stop(): void {
    this.#stopping = true
  }

  /** Resolves when no work is in progress, not even for disconnected callers. */
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
