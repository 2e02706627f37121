/** How long after a write the indexing starts, in milliseconds. */
const QUIET = 1000
/** Milliseconds after which a step ends: writers wait for it. */
const STEP = 10
/** Sessions that may be queued; a recall finds and indexes the rest. */
const MAX_QUEUED = 10_000
/** While others write, pauses are this many times as long as the work. A factor of 20 cost writers 5 % and more. */
const PAUSE_FACTOR = 40

/** A session with events to index. */
export interface Reading {
  sessionId: string
  /** Whether it has ended or passed a gate, so that memories may be extracted. */
  milestone: boolean
}

/**
 * Indexes logs in the background, a little at a time, and pauses while others write. Work that fails or is lost with
 * the process is done by the next recall: the logs say what was not indexed yet.
 */
export class Background {
  readonly #waiting = new Map<string, boolean>()
  readonly #read: ((reading: Reading) => Promise<boolean>) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  #wrote = false
  #stopped = false

  /** `read` indexes a little of a session and says whether there is more. Without it nothing is indexed. */
  constructor(read?: (reading: Reading) => Promise<boolean>) {
    this.#read = read
  }

  /** Queues a session that was written to. Costs next to nothing. */
  wrote(sessionId: string, milestone: boolean): void {
    if (this.#read === undefined || this.#stopped) return
    this.#wrote = true
    const isKnown = this.#waiting.has(sessionId)
    if (milestone || (!isKnown && this.#waiting.size < MAX_QUEUED)) this.#waiting.set(sessionId, milestone)
    if (this.#running === undefined) this.#wait(QUIET)
  }

  /**
   * Starts nothing more. A running step finds the store closed and ends; nobody waits, since a model may take a minute.
   */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #wait(ms: number): void {
    // unref: a process that has nothing else to do may end
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#running = this.#step().finally(() => {
        this.#running = undefined
        // sessions written to since the last check
        if (this.#waiting.size > 0 && !this.#stopped) this.#wait(QUIET)
      })
    }, ms).unref()
  }

  async #step(): Promise<void> {
    if (this.#stopped) return
    this.#wrote = false
    // from here on it is running: new writes wait for the next pause
    await undefined
    const begun = performance.now()
    for (const [sessionId, milestone] of [...this.#waiting]) {
      this.#waiting.delete(sessionId)
      try {
        if (await this.#read?.({ sessionId, milestone })) this.#again(sessionId, milestone)
      } catch {
        // nobody waits for this: the next recall indexes it, and reports the error
      }
      if (this.#stopped) return
      if (performance.now() - begun > STEP) break
    }
    if (this.#waiting.size > 0) {
      this.#wait(this.#wrote ? Math.max(QUIET / 10, PAUSE_FACTOR * (performance.now() - begun)) : 0)
    }
  }

  #again(sessionId: string, milestone: boolean): void {
    this.#waiting.set(sessionId, milestone || (this.#waiting.get(sessionId) ?? false))
  }
}
