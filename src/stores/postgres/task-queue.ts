/** The tasks of one key. */
interface Line {
  /** Starts the waiting tasks. */
  readonly waiting: (() => void)[]
  /** How many tasks were started. */
  started: number
  timer: NodeJS.Timeout | undefined
}

/**
 * Runs tasks with the same key in order; different keys run concurrently. It only saves conflicts: the database keeps
 * order between processes. So a task that hangs delays the next one by the longest turn at most.
 */
export class TaskQueue {
  readonly #longestTurn: number
  readonly #lines = new Map<string, Line>()

  /**
   * @param longestTurn milliseconds after which the next task starts although the one before has not ended, because its
   *   connection may hang
   */
  constructor(longestTurn: number) {
    this.#longestTurn = longestTurn
  }

  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? { waiting: [], started: 0, timer: undefined }
    if (line.started === 0) {
      line.started = 1
      this.#lines.set(key, line)
    } else {
      await new Promise<void>((resolve) => {
        line.waiting.push(resolve)
        this.#limitTurn(key, line)
      })
    }
    const turn = line.started
    try {
      return await task()
    } finally {
      // unless it took too long and the next one runs already
      if (line.started === turn) this.#startNext(key, line)
    }
  }

  #startNext(key: string, line: Line): void {
    clearTimeout(line.timer)
    line.timer = undefined
    line.started++
    const start = line.waiting.shift()
    if (start === undefined) this.#lines.delete(key)
    else start()
    if (line.waiting.length > 0) this.#limitTurn(key, line)
  }

  #limitTurn(key: string, line: Line): void {
    line.timer ??= setTimeout(() => this.#startNext(key, line), this.#longestTurn).unref()
  }
}
