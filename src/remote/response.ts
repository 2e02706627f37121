import { StorageError, type ThroughlineError } from '../domain/errors.ts'
import { defined } from '../domain/optional.ts'
import { errorFromResponse } from './problem.ts'
import { buildHeaders, type Call, type CallerHeaders } from './request.ts'
import { networkError, RetryableError, retryableResponse } from './retryable-error.ts'
import type { RequestTimeout } from './timeout.ts'
import { connectionClosed, type Transport } from './transport.ts'

/** Sends one request. Throws `RetryableError` if no response came and another attempt may help. */
export async function send(
  transport: Transport,
  caller: CallerHeaders,
  call: Call,
  accept: string,
  timeout: RequestTimeout,
): Promise<Response> {
  const { url, token: source, closing } = transport
  if (closing.signal.aborted) throw connectionClosed()
  const { method, path, body } = call
  const token = typeof source === 'function' ? await resolveToken(source, timeout) : source
  const headers = buildHeaders(call, { accept, token, ...caller })
  // following a redirect would lose the body, or send the token elsewhere
  const init = { ...defined({ body }), method, headers, signal: timeout.signal, redirect: 'manual' } as const
  return await receive(transport, timeout, fetch(`${url}/v1${path}`, init))
}

/** Calls the caller's function, but no longer than the request may take. */
async function resolveToken(token: () => string | Promise<string>, timeout: RequestTimeout): Promise<string> {
  const { signal } = timeout
  if (signal.aborted) throw signal.reason
  const aborted = Promise.withResolvers<never>()
  const abort = () =>
    aborted.reject(
      timeout.isExpired ? new StorageError('http', 'the token function did not return in time') : signal.reason,
    )
  signal.addEventListener('abort', abort)
  try {
    return await Promise.race([token(), aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Reads the body; `undefined` if it is empty. */
export async function readJson(transport: Transport, response: Response, timeout: RequestTimeout): Promise<unknown> {
  const text = await receive(transport, timeout, response.text())
  try {
    return text === '' ? undefined : JSON.parse(text)
  } catch (cause) {
    const message = `${transport.origin} did not return JSON; is it a Throughline server?`
    throw new StorageError('http', message, { cause })
  }
}

/** Reads the error of a response. Throws `RetryableError` if another attempt may help. */
export async function readError(
  transport: Transport,
  response: Response,
  timeout: RequestTimeout,
): Promise<ThroughlineError> {
  const { status, headers } = response
  const error = errorFromResponse(transport.origin, status, await receive(transport, timeout, response.text()))
  const retryable = retryableResponse(status, error, headers.get('retry-after'))
  if (retryable !== undefined) throw retryable
  return error
}

/** Yields the bytes of a stream as they arrive. */
export async function* readChunks(
  transport: Transport,
  { body }: Response,
  timeout: RequestTimeout,
): AsyncGenerator<Uint8Array> {
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  try {
    for (;;) {
      timeout.restart(transport.timeouts.idle)
      // a server silent for this long is gone, or a proxy has dropped the stream
      const { done, value } = await receive(
        transport,
        timeout,
        reader.read(),
        (error) => new RetryableError(error, true),
      )
      if (done) return
      // the consumer may take as long as it likes
      timeout.pause()
      yield value
    }
  } finally {
    // tells the server when the consumer stops early
    await reader.cancel().catch(() => {})
  }
}

/** Waits for data from the network and turns failures into our errors. */
async function receive<T>(
  { origin }: Transport,
  timeout: RequestTimeout,
  data: Promise<T>,
  onTimeout = (error: StorageError): Error => error,
): Promise<T> {
  try {
    return await data
  } catch (error) {
    if (timeout.isExpired) throw onTimeout(new StorageError('http', `the request to ${origin} timed out`))
    throw timeout.signal.aborted ? timeout.signal.reason : networkError(origin, error)
  }
}
