import { type ThroughlineError, UnavailableError } from '../domain/errors.ts'
import type { Principal } from '../domain/record.ts'
import { EventReader, type ServerEvent } from './events.ts'
import { NoAnswer } from './no-answer.ts'
import { errorIn } from './problem.ts'
import { type Call, mayRepeat } from './request.ts'
import { chunksOf, errorFrom, fetched, jsonFrom } from './response.ts'
import { Backoff, type Patience } from './retry.ts'
import { Limit } from './timeout.ts'
import { broken, isClosed, type Line } from './transport.ts'

/** What the server said. */
export interface Answer {
  /** `undefined` where it had nothing to say. */
  readonly body: unknown
  readonly error?: ThroughlineError
  /** The header `Throughline-Unwritten`. */
  readonly unwritten: string | null
}

/** How a stream is opened. */
export interface StreamOptions {
  /** Aborts it. */
  readonly signal?: AbortSignal
  /** Called whenever something came, if only a sign of life. */
  readonly onLife?: () => void
}

/** Sends requests, for one caller: the one place where they leave this process. */
export class Connection {
  readonly #line: Line
  readonly #principal: Principal | undefined

  constructor(line: Line, principal?: Principal) {
    this.#line = line
    this.#principal = principal
  }

  /** The same for someone who sees less. */
  as(principal: Principal): Connection {
    return new Connection(this.#line, principal)
  }

  get patience(): Patience {
    return this.#line.patience
  }

  /** Aborted when it closes. */
  get closed(): AbortSignal {
    return this.#line.ending.signal
  }

  /** What the server answers; throws its error. `undefined` where it had nothing to say. */
  async request<T>(call: Call): Promise<T> {
    const { error, body } = await this.exchange(call)
    if (error !== undefined) throw error
    return body as T
  }

  /** The same for whoever would rather know at once that nobody is there. */
  async first<T>(call: Call): Promise<T> {
    // a connection that is kept from before may have been cut meanwhile
    const again = (error: unknown) => {
      if (error instanceof NoAnswer && error.mayHaveArrived) return this.#attempt(call)
      throw error
    }
    try {
      const { error, body } = await this.#attempt(call).catch(again)
      if (error !== undefined) throw error
      return body as T
    } catch (error) {
      throw error instanceof NoAnswer ? error.error : error
    }
  }

  /** What the server answers, be it an error. Throws if there was no answer. */
  async exchange(call: Call): Promise<Answer> {
    return await this.#counted(this.#tried(call, () => this.#attempt(call)))
  }

  /** Long work: tells how far it is, and gives what came of it. */
  async work<T>(call: Call, onProgress?: (progress: never) => void): Promise<T> {
    return await this.#tried(call, async () => {
      for await (const { event, data } of this.stream(call)) {
        if (event === 'result') return JSON.parse(data) as T
        if (event === 'progress') onProgress?.(JSON.parse(data) as never)
      }
      throw this.broken()
    })
  }

  /** Events as the server sends them. Throws `NoAnswer` where it is worth trying again, also in the middle. */
  async *stream(call: Call, { signal, onLife }: StreamOptions = {}): AsyncGenerator<ServerEvent> {
    const { patience, ending } = this.#line
    const limit = new Limit(patience.attempt, [ending.signal, ...(signal === undefined ? [] : [signal])])
    try {
      const response = await fetched(this.#line, this.#principal, call, 'text/event-stream', limit)
      if (!response.ok) throw await errorFrom(this.#line, response, limit)
      const reader = new EventReader()
      for await (const bytes of chunksOf(this.#line, response, limit)) {
        onLife?.()
        for (const event of reader.read(bytes)) {
          if (event.event === 'problem') throw this.#problemIn(event.data)
          yield event
        }
      }
    } finally {
      limit.end()
    }
  }

  /** What ended although there should be more. */
  broken(): NoAnswer {
    return new NoAnswer(broken(this.#line), true)
  }

  /** Lets what is under way come to its end, and the streams end at once. Nothing is sent from then on. */
  async close(): Promise<void> {
    const { ending, cutting, running, patience } = this.#line
    ending.abort(isClosed())
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, patience.close)
    await Promise.race([Promise.allSettled(running), enough])
    clearTimeout(timer)
    cutting.abort(isClosed())
  }

  /** The error of a problem in the middle of a stream: a server that stops has begun with the work by then. */
  #problemIn(data: string): Error {
    const error = errorIn(JSON.parse(data)) ?? broken(this.#line)
    return error instanceof UnavailableError ? new NoAnswer(error, true) : error
  }

  async #counted<T>(work: Promise<T>): Promise<T> {
    const { running } = this.#line
    running.add(work)
    try {
      return await work
    } finally {
      running.delete(work)
    }
  }

  /** Tries again where that is safe, for as long as there is patience. */
  async #tried<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    const { patience, ending } = this.#line
    const backoff = new Backoff(patience, patience.retries)
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error
        const isSafe = !error.mayHaveArrived || mayRepeat(call)
        if (!isSafe || ending.signal.aborted || !(await backoff.next(error.after, ending.signal))) throw error.error
      }
    }
  }

  async #attempt(call: Call): Promise<Answer> {
    const { patience, cutting } = this.#line
    const limit = new Limit(patience.attempt, [cutting.signal])
    try {
      const response = await fetched(this.#line, this.#principal, call, 'application/json', limit)
      const unwritten = response.headers.get('throughline-unwritten')
      if (response.ok) return { body: await jsonFrom(this.#line, response, limit), unwritten }
      return { body: undefined, error: await errorFrom(this.#line, response, limit), unwritten }
    } finally {
      limit.end()
    }
  }
}
