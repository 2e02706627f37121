/** How long after a write the indexing starts, in milliseconds. */
const QUIET = 1000
/** Milliseconds of work after which it pauses. */
const STEP = 5
/**
 * How many times as long as the work a pause is while the event loop is busy all the time, or while others write. A
 * factor of 20 cost writers 5 % and more.
 */
const PAUSE_FACTOR = 40
/** The longest pause: the work of a step also waits for others. */
const MAX_PAUSE = 1000
/** Sessions that may be queued; a recall finds and indexes the rest. */
const MAX_QUEUED = 10_000

/** A session with events to index. */
export interface Reading {
  sessionId: string
  /** Whether it has ended or passed a gate, so that memories may be extracted. */
  milestone: boolean
  /** To be awaited after each piece of work. */
  pause(): Promise<void>
}

/** Measures which share of the time since the last call the event loop was busy, from 0 to 1. */
export type LoadMeter = () => number

/** The load of this event loop. */
function eventLoopLoad(): LoadMeter {
  const { eventLoopUtilization } = process.getBuiltinModule('node:perf_hooks').performance
  let last = eventLoopUtilization()
  return () => {
    const now = eventLoopUtilization()
    const { utilization } = eventLoopUtilization(now, last)
    last = now
    return utilization
  }
}

/**
 * Indexes logs in the background, a little at a time. The busier the event loop is with other work, the longer the
 * pauses, so that neither readers nor writers notice. Work that fails or is lost with the process is done by the next
 * recall: the logs say what was not indexed yet.
 */
export class Background {
  readonly #waiting = new Map<string, boolean>()
  readonly #read: ((reading: Reading) => Promise<boolean>) | undefined
  readonly #load: LoadMeter
  #timer: ReturnType<typeof setTimeout> | undefined
  #isRunning = false
  /** When the last pause ended, and how busy others were in it. */
  #resumed = 0
  #busy = 0
  #wrote = false
  #stopped = false

  /** `read` indexes a little of a session and says whether there is more. Without it nothing is indexed. */
  constructor(read?: (reading: Reading) => Promise<boolean>, load = eventLoopLoad()) {
    this.#read = read
    this.#load = load
  }

  /** Queues a session that was written to. Costs next to nothing. */
  wrote(sessionId: string, milestone: boolean): void {
    if (this.#read === undefined || this.#stopped) return
    this.#wrote = true
    const isKnown = this.#waiting.has(sessionId)
    if (milestone || (!isKnown && this.#waiting.size < MAX_QUEUED)) this.#waiting.set(sessionId, milestone)
    if (this.#isRunning) return
    this.#isRunning = true
    void this.#run(this.#read)
  }

  /**
   * Starts nothing more. Work under way finds the store closed or never resumes; nobody waits, since a model may take a
   * minute.
   */
  stop(): void {
    this.#stopped = true
    clearTimeout(this.#timer)
  }

  async #run(read: (reading: Reading) => Promise<boolean>): Promise<void> {
    await this.#sleep(QUIET)
    const pause = () => this.#pause()
    while (this.#waiting.size > 0) {
      for (const [sessionId, milestone] of [...this.#waiting]) {
        this.#waiting.delete(sessionId)
        try {
          if (await read({ sessionId, milestone, pause })) this.#again(sessionId, milestone)
        } catch {
          // nobody waits for this: the next recall indexes it, and reports the error
        }
        if (this.#stopped) return
        await this.#pause()
      }
    }
    this.#isRunning = false
  }

  /** Pauses if it has worked for a while. The pause also shows how busy others are. */
  async #pause(): Promise<void> {
    const worked = performance.now() - this.#resumed
    if (worked < STEP) return
    const busy = this.#wrote ? 1 : this.#busy
    await this.#sleep(Math.max(worked, Math.min(MAX_PAUSE, worked * PAUSE_FACTOR * busy)))
  }

  async #sleep(ms: number): Promise<void> {
    this.#wrote = false
    this.#load()
    await new Promise<void>((resolve) => {
      // unref: a process that has nothing else to do may end
      this.#timer = setTimeout(resolve, ms).unref()
    })
    this.#busy = this.#load()
    this.#resumed = performance.now()
  }

  #again(sessionId: string, milestone: boolean): void {
    this.#waiting.set(sessionId, milestone || (this.#waiting.get(sessionId) ?? false))
  }
}
