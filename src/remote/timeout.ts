/** Aborts one request: when its time is up, or when one of the signals is aborted. */
export class Limit {
  readonly #controller = new AbortController()
  readonly #signals: readonly AbortSignal[]
  readonly #pass: () => void
  #timer: NodeJS.Timeout
  #isUp = false

  constructor(ms: number, signals: readonly AbortSignal[]) {
    this.#signals = signals
    this.#timer = this.#started(ms)
    this.#pass = () => this.#controller.abort(signals.find(({ aborted }) => aborted)?.reason)
    for (const signal of signals) signal.addEventListener('abort', this.#pass)
    if (signals.some(({ aborted }) => aborted)) this.#pass()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether it was time that aborted the request. */
  get isUp(): boolean {
    return this.#isUp
  }

  /** From now on there is so much time. */
  within(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = this.#started(ms)
  }

  /** Nobody waits for anything. */
  pause(): void {
    clearTimeout(this.#timer)
  }

  /** The request is over. */
  end(): void {
    clearTimeout(this.#timer)
    for (const signal of this.#signals) signal.removeEventListener('abort', this.#pass)
  }

  #started(ms: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.#isUp = true
      this.#controller.abort()
    }, ms)
  }
}
