import { RateLimitedError, type SharedLimit, TooManyStreamsError, UnavailableError } from '../domain/errors.ts'
import { FairQueue } from '../fair-queue.ts'
import type { RequestRate } from './request-rate.ts'
import { type Holder, Share } from './share.ts'

/** How much the server accepts. Tenants and callers get shares of what it accepts at once. */
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
  /** Concurrent calls that work through many sessions: sweeps, exports, purges … @default 16 */
  bulk: number
  /** Requests per second of one tenant. @default 1000 */
  requestsPerSecond: number
  /** Requests per second of one caller. @default 500 */
  requestsPerSecondPerCaller: number
  /** Open connections. @default 20,000 */
  connections: number
  /** Open connections of one address, or of one /64 network of IPv6. @default 10,000 */
  connectionsPerAddress: number
  /** Milliseconds for a whole request to arrive. @default 60,000 */
  requestTimeoutMs: number
  /** Bytes per second that a body must arrive with, as an average over 10 s. @default 1000 */
  bodyBytesPerSecond: number
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
  bulk: 16,
  requestsPerSecond: 1000,
  requestsPerSecondPerCaller: 500,
  connections: 20_000,
  connectionsPerAddress: 10_000,
  requestTimeoutMs: 60_000,
  bodyBytesPerSecond: 1000,
  stallTimeoutMs: 60_000,
  stopTimeoutMs: 10_000,
}

/** Calls that start in a turn of the event loop; those in one packet would start before the first has worked. */
const STARTED = { ms: 4, atOnce: 16 }

/** Bytes that a part of a body costs in memory beyond its length: a body may arrive byte by byte. */
const CHUNK_OVERHEAD = 128

/** An admitted request. */
export interface Visit {
  /** Counts an arrived part of its body; throws if the total is too much for now. */
  carry(bytes: number): void
  /** Waits until it may work; `undefined` if it may at once. Only the first call waits. */
  turn(): Promise<void> | undefined
  /** Counts it as bulk work too; throws if there is too much for now. */
  beginBulk(): void
  leave(): void
}

/** What callers share at once. */
type Pool = Exclude<SharedLimit, 'requestsPerSecond' | 'connectionsPerAddress'>

/** Admission control: refuses what is too much at once, so that accepted work gets done and nobody takes it all. */
export class Admission {
  readonly #limits: Limits
  readonly #onStream: (change: 1 | -1) => void
  readonly #rate: RequestRate | undefined
  readonly #shares: Record<Pool, Share>
  readonly #streams = new Map<string, number>()
  readonly #queue = new FairQueue(STARTED)
  #requests = 0
  #stopping = false
  #waiting: (() => void)[] = []

  /**
   * @param onStream called when a stream opens or closes
   * @param rate absent: requests per second are not limited
   */
  constructor(limits: Limits, onStream: (change: 1 | -1) => void = () => {}, rate?: RequestRate) {
    this.#limits = limits
    this.#onStream = onStream
    this.#rate = rate
    const { requests, bodies, streams, bulk } = limits
    this.#shares = {
      requests: new Share(requests),
      bodies: new Share(bodies),
      streams: new Share(streams),
      bulk: new Share(bulk),
    }
  }

  /** Admits a request, or throws `UnavailableError` or `RateLimitedError`. */
  enter(caller: Holder): Visit {
    if (this.#stopping) throw new UnavailableError('stopping')
    this.#take('requests', 1, caller)
    this.#requests++
    const { requests, bodies, bulk } = this.#shares
    let held = 0
    let isBulk = false
    let hadTurn = false
    return {
      // count arrived bytes, not announced ones: a caller who sends nothing must not block others
      carry: (bytes) => {
        this.#take('bodies', bytes + CHUNK_OVERHEAD, caller)
        held += bytes + CHUNK_OVERHEAD
      },
      turn: () => {
        if (hadTurn) return undefined
        hadTurn = true
        return this.#queue.turn([caller.tenant ?? '', caller.name])
      },
      beginBulk: () => {
        this.#take('bulk', 1, caller)
        isBulk = true
      },
      leave: once(() => {
        requests.release(1, caller)
        bodies.release(held, caller)
        if (isBulk) bulk.release(1, caller)
        this.#requests--
        if (this.#requests === 0) for (const told of this.#waiting.splice(0)) told()
      }),
    }
  }

  /** Counts a request of this second, or throws `RateLimitedError`. */
  async pace(caller: Holder): Promise<void> {
    await this.#rate?.count(caller)
  }

  /** Admits a stream of a caller, or throws. @returns releases it */
  follow(caller: Holder): () => void {
    const { name } = caller
    const own = this.#streams.get(name) ?? 0
    if (own >= this.#limits.streamsPerCaller) throw new TooManyStreamsError(this.#limits.streamsPerCaller)
    this.#take('streams', 1, caller)
    this.#onStream(1)
    this.#streams.set(name, own + 1)
    return once(() => {
      this.#shares.streams.release(1, caller)
      this.#onStream(-1)
      const left = (this.#streams.get(name) ?? 1) - 1
      if (left === 0) this.#streams.delete(name)
      else this.#streams.set(name, left)
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

  #take(limit: Pool, amount: number, caller: Holder): void {
    const refusal = this.#shares[limit].take(amount, caller)
    if (refusal === 'whole') throw new UnavailableError('busy')
    if (refusal === 'share') throw new RateLimitedError({ limit, retryAfter: 1 })
  }
}

function once(work: () => void): () => void {
  let done = false
  return () => {
    if (!done) work()
    done = true
  }
}
