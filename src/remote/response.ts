import { StorageError, type ThroughlineError } from '../domain/errors.ts'
import type { Principal } from '../domain/record.ts'
import { errorFromResponse } from './problem.ts'
import { buildHeaders, type Call } from './request.ts'
import { networkError, RetryableError, retryableResponse } from './retryable-error.ts'
import type { RequestTimeout } from './timeout.ts'
import { connectionClosed, type Transport } from './transport.ts'

/** Sends a request, for someone. Throws `NoAnswer` where none came, and it is worth trying again. */
export async function send(
  line: Transport,
  principal: Principal | undefined,
  call: Call,
  accept: string,
  limit: RequestTimeout,
): Promise<Response> {
  const { url, token, closing: ending } = line
  if (ending.signal.aborted) throw connectionClosed()
  const { method, path, body } = call
  const given = typeof token === 'function' ? await resolveToken(token, limit) : token
  const headers = buildHeaders(call, { accept, token: given, principal })
  const { signal } = limit
  // a redirect would lose the body, or take the token elsewhere
  const init = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) } as const
  return await receive(line, limit, fetch(`${url}/v1${path}`, init))
}

/** What the caller's function gives, unless the request ends before. */
async function resolveToken(token: () => string | Promise<string>, limit: RequestTimeout): Promise<string> {
  const { signal } = limit
  if (signal.aborted) throw signal.reason
  const ended = Promise.withResolvers<never>()
  const end = () => ended.reject(limit.isExpired ? new StorageError('http', 'no token came in time') : signal.reason)
  signal.addEventListener('abort', end)
  try {
    return await Promise.race([token(), ended.promise])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** All that an answer says; `undefined` where it has nothing to say. */
export async function readJson(line: Transport, response: Response, limit: RequestTimeout): Promise<unknown> {
  const text = await receive(line, limit, response.text())
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch (cause) {
    throw new StorageError('http', `${line.origin} answers with what is no JSON: is it Throughline?`, { cause })
  }
}

/** The error of an answer. Throws `NoAnswer` where it is worth trying again. */
export async function readError(line: Transport, response: Response, limit: RequestTimeout): Promise<ThroughlineError> {
  const { status, headers } = response
  const error = errorFromResponse(line.origin, status, await receive(line, limit, response.text()))
  const again = retryableResponse(status, error, headers.get('retry-after'))
  if (again !== undefined) throw again
  return error
}

/** The bytes of a stream as they come. */
export async function* readChunks(
  line: Transport,
  { body }: Response,
  limit: RequestTimeout,
): AsyncGenerator<Uint8Array> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  try {
    for (;;) {
      limit.restart(line.timeouts.idle)
      // a server that says nothing for so long is gone, or what is between has forgotten the stream
      const { done, value } = await receive(line, limit, reader.read(), (error) => new RetryableError(error, true))
      if (done) return
      // however long the caller takes with it
      limit.pause()
      yield value
    }
  } finally {
    // also where the caller has gone away: the server is told
    await reader.cancel().catch(() => {})
  }
}

/** What comes over the network, or why it does not. */
async function receive<T>(
  { origin }: Transport,
  limit: RequestTimeout,
  coming: Promise<T>,
  whenUp = (error: StorageError): Error => error,
): Promise<T> {
  try {
    return await coming
  } catch (error) {
    if (limit.isExpired) throw whenUp(new StorageError('http', `the server at ${origin} does not answer in time`))
    throw limit.signal.aborted ? limit.signal.reason : networkError(origin, error)
  }
}
