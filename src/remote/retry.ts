/** How long to wait for a server. Times are in milliseconds. */
export interface Timeouts {
  /** For one attempt, from the request to the end of the answer. */
  readonly attempt: number
  /** For the next sign of life on a stream. The server gives one every 15 s. */
  readonly idle: number
  /** For all waits between the attempts of one call together. */
  readonly retries: number
  /** The same for the stream of a `tail` that broke. */
  readonly tail: number
  /** For requests that are under way when the client is closed. */
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

const SHORTEST = 100
const LONGEST = 2_000

/** Waits between attempts: each twice as long as the one before, and never all clients at the same moment. */
export class Backoff {
  readonly #timeouts: Timeouts
  readonly #total: number
  #waits = 0
  #waited = 0

  constructor(patience: Timeouts, total: number) {
    this.#timeouts = patience
    this.#total = total
  }

  /** Waits, at least as long as the server asked for. False, at once, if that is longer than there is patience for. */
  async next(atLeast: number, signal: AbortSignal): Promise<boolean> {
    const full = Math.min(LONGEST, SHORTEST * 2 ** this.#waits)
    const ms = Math.max(atLeast, full * (0.5 + this.#timeouts.random() / 2))
    if (this.#waited + ms > this.#total) return false
    this.#waits++
    this.#waited += ms
    await this.#timeouts.wait(ms, signal)
    return true
  }

  /** It has worked again: the next wait is a short one. */
  reset(): void {
    this.#waits = 0
    this.#waited = 0
  }
}

/** Resolves after a time, or as soon as the signal is aborted. */
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
