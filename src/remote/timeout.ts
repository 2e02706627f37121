/** Aborts one request: when its time is up, or when one of the signals is aborted. */
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

  /** Whether it was time that aborted the request. */
  get isExpired(): boolean {
    return this.#isExpired
  }

  /** From now on there is so much time. */
  restart(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = this.#start(ms)
  }

  /** Nobody waits for anything. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  /** The request is over. */
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
