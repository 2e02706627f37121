import { Problem, readProblem, timedOut, unreachable } from './problem.ts'
import { token, tokenProblem } from './token.ts'
import type { SessionEvent } from './types.ts'

/** Values of a query. `undefined` and empty ones are omitted, lists repeat the key. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** A request to the API. */
export interface Request {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'
  readonly query?: Query
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
  readonly accept?: string
  /** Idempotency key: a write that is sent again with it happens once. */
  readonly key?: string | undefined
  /** Whether to give up after {@link TIMEOUT}: for calls that a healthy server completes at once. */
  readonly hasTimeout?: boolean
}

const TIMEOUT = 30_000

/** One call below `/v1`; `path` as in `/sessions/…`. Throws a {@link Problem}. */
export async function call<T>(path: string, request: Request = {}): Promise<T> {
  const late = request.hasTimeout === true ? AbortSignal.timeout(TIMEOUT) : undefined
  const signals = [request.signal, late].filter((signal) => signal !== undefined)
  try {
    const response = await send(path, { ...request, signal: AbortSignal.any(signals) })
    return (response.status === 204 ? undefined : await response.json()) as T
  } catch (error) {
    throw late?.aborted === true && request.signal?.aborted !== true ? timedOut() : error
  }
}

export const get = <T>(path: string, query?: Query, signal?: AbortSignal) =>
  call<T>(path, { ...(query && { query }), signal })

export const post = <T>(path: string, body: unknown, key: string, signal: AbortSignal) =>
  call<T>(path, { method: 'POST', body, key, signal, hasTimeout: true })

/** The raw response, whose status is a success. Throws a {@link Problem}. */
export async function send(path: string, request: Request): Promise<Response> {
  const { method = 'GET', query, body, signal, accept, key } = request
  const headers: Record<string, string> = {}
  const sent = token.value
  if (sent !== '') headers['Authorization'] = `Bearer ${sent}`
  if (body !== undefined) headers['Content-Type'] = 'application/json'
  if (accept !== undefined) headers['Accept'] = accept
  if (key !== undefined) headers['Idempotency-Key'] = key
  const init: RequestInit = { method, headers, cache: 'no-store', ...(signal && { signal }) }
  if (body !== undefined) init.body = JSON.stringify(body)
  const response = await fetch(`v1${path}${queryText(query)}`, init).catch((error: unknown) => {
    throw signal?.aborted ? error : unreachable()
  })
  if (response.ok) return response
  const problem = await readProblem(response)
  // a late response says nothing about the current token
  if (problem.status === 401 && sent === token.value) tokenProblem.value = sent === '' ? '' : problem.message
  throw problem
}

function queryText(query: Query = {}): string {
  const search = new URLSearchParams()
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === '') continue
    for (const one of typeof value === 'object' ? value : [value]) search.append(key, String(one))
  }
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}

/** The path of a session, with `rest` after it. */
export const sessionPath = (id: string, rest = '') => `/sessions/${encodeURIComponent(id)}${rest}`

/** Events of a session. */
export const getEvents = async (id: string, query: Query, signal: AbortSignal) =>
  (await get<{ items: SessionEvent[] }>(sessionPath(id, '/events'), query, signal)).items

export { Problem }
