import { FairLines } from './domain/fair-lines.ts'

/** What a queue lets start in one turn of the event loop. */
interface TurnSize {
  /** Milliseconds of work. */
  readonly ms: number
  /** Pieces that start before the first of them has worked. @default any number */
  readonly atOnce?: number
}

/**
 * Starts pieces of work: as many in one turn of the event loop as fit into a few milliseconds. Their owners take turns.
 * In the order of arrival, a tenant with 500 calls at once made every other call wait for 500.
 */
export class FairQueue {
  readonly #size: Required<TurnSize>
  readonly #now: () => number
  readonly #waiting = new FairLines<() => void>()
  #isStarting = false
  /** When the first piece of this turn of the event loop started, and how many did. */
  #begun: number | undefined
  #started = 0

  constructor({ ms, atOnce = Number.POSITIVE_INFINITY }: TurnSize, now = () => performance.now()) {
    this.#size = { ms, atOnce }
    this.#now = now
  }

  /**
   * Waits until a piece of work may start; `undefined` if it may at once.
   *
   * @param owner a path such as tenant and user: tenants take turns, and so do the users of each
   */
  turn(owner: readonly string[]): Promise<void> | undefined {
    if (!this.#isStarting && !this.#isTurnOver()) return undefined
    return new Promise((resolve) => {
      this.#waiting.add(resolve, owner)
      if (!this.#isStarting) void this.#startAll()
    })
  }

  #isTurnOver(): boolean {
    this.#started++
    if (this.#begun !== undefined) {
      return this.#started > this.#size.atOnce || this.#now() - this.#begun > this.#size.ms
    }
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
        // until it has done what it does without waiting
        await new Promise<void>((resolve) => process.nextTick(resolve))
      } while (this.#waiting.size > 0 && this.#now() - begun < this.#size.ms)
    }
    this.#isStarting = false
  }
}
