/** How long to wait for a server, in milliseconds. */
export interface Timeouts {
  /** One attempt, from the request to the end of the response. */
  readonly attempt: number
  /** A stream without any data. The server sends a comment every 15 s. */
  readonly idle: number
  /** All waits between the attempts of one call. */
  readonly retries: number
  /** All waits between the attempts to reopen the stream of a `tail`. */
  readonly tail: number
  /** Pending requests when the client closes. */
  readonly close: number
  wait(ms: number, signal: AbortSignal): Promise<void>
  /** 0 to 1. */
  random(): number
}

export const TIMEOUTS: Timeouts = {
  attempt: 120_000,
  idle: 60_000,
  retries: 10_000,
  tail: 30_000,
  close: 10_000,
  wait,
  random: Math.random,
}

const MIN_WAIT = 100
const MAX_WAIT = 2_000

/** Exponential backoff with jitter, within a total budget. */
export class Backoff {
  readonly #timeouts: Timeouts
  readonly #budget: number
  #count = 0
  #waited = 0

  constructor(timeouts: Timeouts, budget: number) {
    this.#timeouts = timeouts
    this.#budget = budget
  }

  /** Waits at least `atLeast`, which the server asked for. Returns false at once if the budget does not allow it. */
  async next(atLeast: number, signal: AbortSignal): Promise<boolean> {
    const full = Math.min(MAX_WAIT, MIN_WAIT * 2 ** this.#count)
    const ms = Math.max(atLeast, full * (0.5 + this.#timeouts.random() / 2))
    if (this.#waited + ms > this.#budget) return false
    this.#count++
    this.#waited += ms
    await this.#timeouts.wait(ms, signal)
    return true
  }

  /** Restores the budget after a success. */
  reset(): void {
    this.#count = 0
    this.#waited = 0
  }
}

/** Resolves after `ms`, or as soon as the signal is aborted. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })
}
