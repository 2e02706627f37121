import { StorageError, type ThroughlineError } from '../domain/errors.ts'
import type { Principal } from '../domain/record.ts'
import { NoAnswer, noAnswer, temporary } from './no-answer.ts'
import { errorOf } from './problem.ts'
import { type Call, headersOf } from './request.ts'
import type { Limit } from './timeout.ts'
import { isClosed, type Line } from './transport.ts'

/** Sends a request, for someone. Throws `NoAnswer` where none came, and it is worth trying again. */
export async function fetched(
  line: Line,
  principal: Principal | undefined,
  call: Call,
  accept: string,
  limit: Limit,
): Promise<Response> {
  const { url, token, ending } = line
  if (ending.signal.aborted) throw isClosed()
  const { method, path, body } = call
  const given = typeof token === 'function' ? await tokenFrom(token, limit) : token
  const headers = headersOf(call, { accept, token: given, principal })
  const { signal } = limit
  // a redirect would lose the body, or take the token elsewhere
  const init = { method, headers, signal, redirect: 'manual', ...(body !== undefined && { body }) } as const
  return await heard(line, limit, fetch(`${url}/v1${path}`, init))
}

/** What the caller's function gives, unless the request ends before. */
async function tokenFrom(token: () => string | Promise<string>, limit: Limit): Promise<string> {
  const { signal } = limit
  if (signal.aborted) throw signal.reason
  const ended = Promise.withResolvers<never>()
  const end = () => ended.reject(limit.isUp ? new StorageError('http', 'no token came in time') : signal.reason)
  signal.addEventListener('abort', end)
  try {
    return await Promise.race([token(), ended.promise])
  } finally {
    signal.removeEventListener('abort', end)
  }
}

/** All that an answer says; `undefined` where it has nothing to say. */
export async function jsonFrom(line: Line, response: Response, limit: Limit): Promise<unknown> {
  const text = await heard(line, limit, response.text())
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch (cause) {
    throw new StorageError('http', `${line.origin} answers with what is no JSON: is it Throughline?`, { cause })
  }
}

/** The error of an answer. Throws `NoAnswer` where it is worth trying again. */
export async function errorFrom(line: Line, response: Response, limit: Limit): Promise<ThroughlineError> {
  const { status, headers } = response
  const error = errorOf(line.origin, status, await heard(line, limit, response.text()))
  const again = temporary(status, error, headers.get('retry-after'))
  if (again !== undefined) throw again
  return error
}

/** The bytes of a stream as they come. */
export async function* chunksOf(line: Line, { body }: Response, limit: Limit): AsyncGenerator<Uint8Array> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  try {
    for (;;) {
      limit.within(line.patience.quiet)
      // a server that says nothing for so long is gone, or what is between has forgotten the stream
      const { done, value } = await heard(line, limit, reader.read(), (error) => new NoAnswer(error, true))
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
async function heard<T>(
  { origin }: Line,
  limit: Limit,
  coming: Promise<T>,
  whenUp = (error: StorageError): Error => error,
): Promise<T> {
  try {
    return await coming
  } catch (error) {
    if (limit.isUp) throw whenUp(new StorageError('http', `the server at ${origin} does not answer in time`))
    throw limit.signal.aborted ? limit.signal.reason : noAnswer(origin, error)
  }
}
