import { FairLines } from '../domain/fair-lines.ts'
import type { Holder } from './share.ts'

/** Milliseconds of starting calls after which the event loop does other work. */
const TURN_MS = 4
/** Calls that start at once in a turn of the event loop: requests in one packet start before the first has worked. */
const MOST_AT_ONCE = 16

/**
 * Starts calls: as many in one turn of the event loop as fit into a few milliseconds. Tenants take turns, and so do the
 * callers of a tenant. In the order of arrival, a tenant with 500 calls at once made every other call wait for 500.
 */
export class FairQueue {
  readonly #now: () => number
  readonly #waiting = new FairLines<() => void>()
  #isStarting = false
  /** When the first call of this turn of the event loop started, and how many did. */
  #begun: number | undefined
  #started = 0

  constructor(now = () => performance.now()) {
    this.#now = now
  }

  /** Waits until a call may start; `undefined` if it may at once. */
  turn({ tenant = '', name }: Holder): Promise<void> | undefined {
    if (!this.#isStarting && !this.#isTurnOver()) return undefined
    return new Promise((resolve) => {
      this.#waiting.add(resolve, [tenant, name])
      if (!this.#isStarting) void this.#startAll()
    })
  }

  #isTurnOver(): boolean {
    this.#started++
    if (this.#begun !== undefined) return this.#started > MOST_AT_ONCE || this.#now() - this.#begun > TURN_MS
    this.#begun = this.#now()
    this.#started = 1
    setImmediate(() => {
      this.#begun = undefined
    })
    return false
  }

  async #startAll(): Promise<void> {
    this.#isStarting = true
    while (this.#waiting.size > 0) {
      await new Promise(setImmediate)
      const begun = this.#now()
      do {
        this.#waiting.next()?.()
        // until the call has done what it does without waiting
        await new Promise<void>((resolve) => process.nextTick(resolve))
      } while (this.#waiting.size > 0 && this.#now() - begun < TURN_MS)
    }
    this.#isStarting = false
  }
}
