import { type ThroughlineError, UnavailableError } from '../domain/errors.ts'
import type { Principal } from '../domain/record.ts'
import { EventReader, type ServerEvent } from './event-parser.ts'
import { parseProblem } from './problem.ts'
import { type Call, isRetrySafe } from './request.ts'
import { readChunks, readError, readJson, send } from './response.ts'
import { Backoff, type Timeouts } from './retry.ts'
import { RetryableError } from './retryable-error.ts'
import { RequestTimeout } from './timeout.ts'
import { connectionClosed, incompleteResponse, type Transport } from './transport.ts'

/** What the server said. */
export interface ApiResponse {
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
  readonly onActivity?: () => void
}

/** Sends requests, for one caller: the one place where they leave this process. */
export class Connection {
  readonly #transport: Transport
  readonly #principal: Principal | undefined

  constructor(line: Transport, principal?: Principal) {
    this.#transport = line
    this.#principal = principal
  }

  /** The same for someone who sees less. */
  as(principal: Principal): Connection {
    return new Connection(this.#transport, principal)
  }

  get timeouts(): Timeouts {
    return this.#transport.timeouts
  }

  /** Aborted when it closes. */
  get closeSignal(): AbortSignal {
    return this.#transport.closing.signal
  }

  /** What the server answers; throws its error. `undefined` where it had nothing to say. */
  async request<T>(call: Call): Promise<T> {
    const { error, body } = await this.exchange(call)
    if (error !== undefined) throw error
    return body as T
  }

  /** The same for whoever would rather know at once that nobody is there. */
  async probe<T>(call: Call): Promise<T> {
    // a connection that is kept from before may have been cut meanwhile
    const again = (error: unknown) => {
      if (error instanceof RetryableError && error.mayHaveArrived) return this.#sendOnce(call)
      throw error
    }
    try {
      const { error, body } = await this.#sendOnce(call).catch(again)
      if (error !== undefined) throw error
      return body as T
    } catch (error) {
      throw error instanceof RetryableError ? error.error : error
    }
  }

  /** What the server answers, be it an error. Throws if there was no answer. */
  async exchange(call: Call): Promise<ApiResponse> {
    return await this.#track(this.#retry(call, () => this.#sendOnce(call)))
  }

  /** Long work: tells how far it is, and gives what came of it. */
  async requestWithProgress<T>(call: Call, onProgress?: (progress: never) => void): Promise<T> {
    return await this.#retry(call, async () => {
      for await (const { event, data } of this.stream(call)) {
        if (event === 'result') return JSON.parse(data) as T
        if (event === 'progress') onProgress?.(JSON.parse(data) as never)
      }
      throw this.connectionLost()
    })
  }

  /** Events as the server sends them. Throws `NoAnswer` where it is worth trying again, also in the middle. */
  async *stream(call: Call, { signal, onActivity: onLife }: StreamOptions = {}): AsyncGenerator<ServerEvent> {
    const { timeouts: patience, closing: ending } = this.#transport
    const limit = new RequestTimeout(patience.attempt, [ending.signal, ...(signal === undefined ? [] : [signal])])
    try {
      const response = await send(this.#transport, this.#principal, call, 'text/event-stream', limit)
      if (!response.ok) throw await readError(this.#transport, response, limit)
      const reader = new EventReader()
      for await (const bytes of readChunks(this.#transport, response, limit)) {
        onLife?.()
        for (const event of reader.read(bytes)) {
          if (event.event === 'problem') throw this.#problemIn(event.data)
          yield event
        }
      }
    } finally {
      limit.dispose()
    }
  }

  /** What ended although there should be more. */
  connectionLost(): RetryableError {
    return new RetryableError(incompleteResponse(this.#transport), true)
  }

  /** Lets what is under way come to its end, and the streams end at once. Nothing is sent from then on. */
  async close(): Promise<void> {
    const { closing: ending, aborting: cutting, pending: running, timeouts: patience } = this.#transport
    ending.abort(connectionClosed())
    const { promise: enough, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, patience.close)
    await Promise.race([Promise.allSettled(running), enough])
    clearTimeout(timer)
    cutting.abort(connectionClosed())
  }

  /** The error of a problem in the middle of a stream: a server that stops has begun with the work by then. */
  #problemIn(data: string): Error {
    const error = parseProblem(JSON.parse(data)) ?? incompleteResponse(this.#transport)
    return error instanceof UnavailableError ? new RetryableError(error, true) : error
  }

  async #track<T>(work: Promise<T>): Promise<T> {
    const { pending: running } = this.#transport
    running.add(work)
    try {
      return await work
    } finally {
      running.delete(work)
    }
  }

  /** Tries again where that is safe, for as long as there is patience. */
  async #retry<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    const { timeouts: patience, closing: ending } = this.#transport
    const backoff = new Backoff(patience, patience.retries)
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error
        const isSafe = !error.mayHaveArrived || isRetrySafe(call)
        if (!isSafe || ending.signal.aborted || !(await backoff.next(error.retryAfterMs, ending.signal)))
          throw error.error
      }
    }
  }

  async #sendOnce(call: Call): Promise<ApiResponse> {
    const { timeouts: patience, aborting: cutting } = this.#transport
    const limit = new RequestTimeout(patience.attempt, [cutting.signal])
    try {
      const response = await send(this.#transport, this.#principal, call, 'application/json', limit)
      const unwritten = response.headers.get('throughline-unwritten')
      if (response.ok) return { body: await readJson(this.#transport, response, limit), unwritten }
      return { body: undefined, error: await readError(this.#transport, response, limit), unwritten }
    } finally {
      limit.dispose()
    }
  }
}
