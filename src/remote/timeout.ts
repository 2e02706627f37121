/** Aborts one request when its time is up or one of the signals is aborted. */
export class RequestTimeout {
  readonly #controller = new AbortController()
  readonly #signals: readonly AbortSignal[]
  readonly #forwardAbort: () => void
  #timer: NodeJS.Timeout
  #isExpired = false

  constructor(ms: number, signals: readonly AbortSignal[]) {
    this.#signals = signals
    this.#timer = this.#start(ms)
    this.#forwardAbort = () => this.#controller.abort(signals.find(({ aborted }) => aborted)?.reason)
    for (const signal of signals) signal.addEventListener('abort', this.#forwardAbort)
    if (signals.some(({ aborted }) => aborted)) this.#forwardAbort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the timer, not a signal, aborted the request. */
  get isExpired(): boolean {
    return this.#isExpired
  }

  /** Starts the timer again. */
  restart(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = this.#start(ms)
  }

  /** Stops the timer; the signals still abort the request. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  /** Call when the request is over. */
  dispose(): void {
    clearTimeout(this.#timer)
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#forwardAbort)
  }

  #start(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#isExpired = true
      this.#controller.abort()
    }, ms)
  }
}
