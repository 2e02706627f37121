/** How long after a write the reading begins, in milliseconds. */
const QUIET = 1000
/** How long one step takes, or little longer, in milliseconds: writers wait for it. */
const STEP = 10
/** Sessions that may wait: whoever looks finds the rest. */
const MOST = 10_000
/** While others write, the reading rests so many times as long as it worked. 20 times cost them 5 % and more. */
const RESTING = 40

/** What is to be read of a session. */
export interface Reading {
  sessionId: string
  /** It has ended or passed a gate: what is worth remembering may be gathered. */
  milestone: boolean
}

/**
 * Reads logs behind the writers' backs, a little at a time, and rests while they write. What fails or is lost with the process is
 * found again by whoever looks: the logs say what was not read yet.
 */
export class Background {
  readonly #waiting = new Map<string, boolean>()
  readonly #read: ((reading: Reading) => Promise<boolean>) | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #running: Promise<void> | undefined
  #wrote = false
  #stopped = false

  /** `read` reads a little of a session and says whether there is more. Without it nothing is read. */
  constructor(read?: (reading: Reading) => Promise<boolean>) {
    this.#read = read
  }

  /** A session was written to. Costs next to nothing. */
  wrote(sessionId: string, milestone: boolean): void {
    if (this.#read === undefined || this.#stopped) return
    this.#wrote = true
    const isKnown = this.#waiting.has(sessionId)
    if (milestone || (!isKnown && this.#waiting.size < MOST)) this.#waiting.set(sessionId, milestone)
    if (this.#running === undefined) this.#wait(QUIET)
  }

  /** Begins nothing more. What was begun finds the store closed, and ends: a model may take a minute, and nobody waits for it. */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  #wait(ms: number): void {
    // a process that has nothing else to do may end
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#running = this.#step().finally(() => {
        this.#running = undefined
        // what was written between the last look and now
        if (this.#waiting.size > 0 && !this.#stopped) this.#wait(QUIET)
      })
    }, ms).unref()
  }

  async #step(): Promise<void> {
    if (this.#stopped) return
    this.#wrote = false
    // from here on it is running: what is written now waits for its rest
    await undefined
    const begun = performance.now()
    for (const [sessionId, milestone] of [...this.#waiting]) {
      this.#waiting.delete(sessionId)
      try {
        if (await this.#read?.({ sessionId, milestone })) this.#again(sessionId, milestone)
      } catch {
        // nobody waits for it: whoever asks next reads it, and is told
      }
      if (this.#stopped) return
      if (performance.now() - begun > STEP) break
    }
    if (this.#waiting.size > 0) {
      this.#wait(this.#wrote ? Math.max(QUIET / 10, RESTING * (performance.now() - begun)) : 0)
    }
  }

  #again(sessionId: string, milestone: boolean): void {
    this.#waiting.set(sessionId, milestone || (this.#waiting.get(sessionId) ?? false))
  }
}
