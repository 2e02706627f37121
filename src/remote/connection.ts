import type { WriteOptions } from '../api.ts'
import { type ThroughlineError, UnavailableError } from '../domain/errors.ts'
import type { Principal } from '../domain/record.ts'
import { parse, writeOptions } from '../features/kernel/parse.ts'
import { uuid7 } from '../ids.ts'
import { createEventParser, type ServerEvent } from './event-parser.ts'
import { queryString } from './path.ts'
import { parseProblem } from './problem.ts'
import { type Call, type CallerHeaders, isRetrySafe } from './request.ts'
import { readChunks, readError, readJson, send } from './response.ts'
import { Backoff, type Timeouts } from './retry.ts'
import { RetryableError } from './retryable-error.ts'
import { RequestTimeout } from './timeout.ts'
import { connectionClosed, incompleteResponse, type Transport } from './transport.ts'

/** A response of the server. */
export interface ApiResponse {
  /** `undefined` if the response is empty. */
  readonly body: unknown
  readonly error?: ThroughlineError
  /** The header `Throughline-Unwritten`. */
  readonly unwritten: string | null
}

export interface StreamOptions {
  /** Ends the stream. */
  readonly signal?: AbortSignal
  /** Called for everything that arrives, including comments that only keep the stream alive. */
  readonly onActivity?: () => void
}

/** Sends requests for one caller. All requests of the client leave through this class. */
export class Connection {
  readonly #transport: Transport
  readonly #principal: Principal | undefined
  readonly #run: number | undefined

  /** @param run generation of the run that all writes are part of */
  constructor(transport: Transport, principal?: Principal, run?: number) {
    this.#transport = transport
    this.#principal = principal
    this.#run = run
  }

  /** The same connection for a narrower principal. */
  as(principal: Principal): Connection {
    return new Connection(this.#transport, principal)
  }

  /** The same connection for the writes of a run. */
  forRun(generation: number): Connection {
    return new Connection(this.#transport, this.#principal, generation)
  }

  get #caller(): CallerHeaders {
    return { principal: this.#principal, run: this.#run }
  }

  get timeouts(): Timeouts {
    return this.#transport.timeouts
  }

  /** Aborted when the connection closes. */
  get closeSignal(): AbortSignal {
    return this.#transport.closing.signal
  }

  /** Validate `query` first: as text its values lose their types. */
  async get<T>(path: string, query: object = {}): Promise<T> {
    return await this.request<T>({ method: 'GET', path: `${path}${queryString(query)}` })
  }

  /** For calls with the same effect when sent twice. */
  async post<T>(path: string, body?: string): Promise<T> {
    return await this.request<T>({ method: 'POST', path, body, idempotent: true })
  }

  /** Writes once, however often the request is sent. */
  async write<T>(
    method: Call['method'],
    path: string,
    body: string | undefined,
    options: WriteOptions | undefined,
  ): Promise<T> {
    return await this.request<T>({ method, path, key: idempotencyKeyOf(options), body })
  }

  /** Returns the body of the response, `undefined` if it is empty; throws the server's error. */
  async request<T>(call: Call): Promise<T> {
    return bodyOf<T>(await this.exchange(call))
  }

  /** Like `request`, but fails at once when the server cannot be reached. */
  async probe<T>(call: Call): Promise<T> {
    // a kept-alive connection may have been cut meanwhile
    const retryOnce = (error: unknown) => {
      if (error instanceof RetryableError && error.mayHaveArrived) return this.#sendOnce(call)
      throw error
    }
    try {
      return bodyOf<T>(await this.#sendOnce(call).catch(retryOnce))
    } catch (error) {
      throw error instanceof RetryableError ? error.error : error
    }
  }

  /** Returns the response, also when it is an error. Throws if there is none. */
  async exchange(call: Call): Promise<ApiResponse> {
    return await this.#track(this.#retry(call, () => this.#sendOnce(call)))
  }

  /** For long-running calls: reports progress and returns the result. */
  async requestWithProgress<T>(call: Call, onProgress?: (progress: never) => void): Promise<T> {
    return await this.#retry(call, async () => {
      for await (const { event, data } of this.stream(call)) {
        if (event === 'result') return JSON.parse(data) as T
        if (event === 'progress') onProgress?.(JSON.parse(data) as never)
      }
      throw this.connectionLost()
    })
  }

  /** Yields events as the server sends them. Throws `RetryableError`, also in the middle, if a retry may help. */
  async *stream(call: Call, { signal, onActivity }: StreamOptions = {}): AsyncGenerator<ServerEvent> {
    const { timeouts, closing } = this.#transport
    const timeout = new RequestTimeout(timeouts.attempt, [closing.signal, ...(signal === undefined ? [] : [signal])])
    try {
      const response = await send(this.#transport, this.#caller, call, 'text/event-stream', timeout)
      if (!response.ok) throw await readError(this.#transport, response, timeout)
      const parseEvents = createEventParser()
      for await (const bytes of readChunks(this.#transport, response, timeout)) {
        onActivity?.()
        for (const event of parseEvents(bytes)) {
          if (event.event === 'problem') throw this.#streamError(event.data)
          yield event
        }
      }
    } finally {
      timeout.dispose()
    }
  }

  /** For a stream that ended although more should follow. */
  connectionLost(): RetryableError {
    return new RetryableError(incompleteResponse(this.#transport), true)
  }

  /** Ends streams at once, waits for pending requests, and sends nothing afterwards. */
  async close(): Promise<void> {
    const { closing, aborting, pending, timeouts } = this.#transport
    closing.abort(connectionClosed())
    const { promise: expired, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, timeouts.close)
    await Promise.race([Promise.allSettled(pending), expired])
    clearTimeout(timer)
    aborting.abort(connectionClosed())
  }

  /** A server that stops in the middle of a stream has already started the work. */
  #streamError(data: string): Error {
    const error = parseProblem(JSON.parse(data)) ?? incompleteResponse(this.#transport)
    return error instanceof UnavailableError ? new RetryableError(error, true) : error
  }

  async #track<T>(request: Promise<T>): Promise<T> {
    const { pending } = this.#transport
    pending.add(request)
    try {
      return await request
    } finally {
      pending.delete(request)
    }
  }

  /** Retries where that is safe, until the budget for waiting is used up. */
  async #retry<T>(call: Call, attempt: () => Promise<T>): Promise<T> {
    const { timeouts, closing } = this.#transport
    const backoff = new Backoff(timeouts, timeouts.retries)
    for (;;) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof RetryableError)) throw error
        const isSafe = !error.mayHaveArrived || isRetrySafe(call)
        const mayRetry = isSafe && !closing.signal.aborted
        if (!mayRetry || !(await backoff.next(error.retryAfterMs, closing.signal))) throw error.error
      }
    }
  }

  async #sendOnce(call: Call): Promise<ApiResponse> {
    const { timeouts, aborting } = this.#transport
    const ends = call.signal === undefined ? [aborting.signal] : [aborting.signal, call.signal]
    const timeout = new RequestTimeout(timeouts.attempt, ends)
    try {
      const response = await send(this.#transport, this.#caller, call, 'application/json', timeout)
      const unwritten = response.headers.get('throughline-unwritten')
      if (response.ok) return { body: await readJson(this.#transport, response, timeout), unwritten }
      return { body: undefined, error: await readError(this.#transport, response, timeout), unwritten }
    } finally {
      timeout.dispose()
    }
  }
}

/** The caller's idempotency key, or a new one, so that the client can retry the write. */
export function idempotencyKeyOf(options: WriteOptions | undefined): string {
  return parse(writeOptions, options ?? {}).idempotencyKey ?? uuid7()
}

export function bodyOf<T>({ error, body }: ApiResponse): T {
  if (error !== undefined) throw error
  return body as T
}
