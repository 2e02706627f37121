import { ValidationError } from '../domain/errors.ts'
import { encodeJson } from '../domain/json.ts'
import { defined } from '../domain/optional.ts'
import type { Principal } from '../domain/record.ts'

/** One call of the server's API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/v1`, with the query. */
  readonly path: string
  /** JSON text. */
  readonly body?: string | undefined
  /** Idempotency key: the server runs the call once, however often it is sent. */
  readonly key?: string
  /** Ends the call. */
  readonly signal?: AbortSignal
  /** Whether running the call twice has the same effect as once. @default true for GET */
  readonly idempotent?: boolean
}

/** Whether a call may be sent again although the server may already have run it. */
export function isRetrySafe({ method, key, idempotent = method === 'GET' }: Call): boolean {
  return idempotent || key !== undefined
}

/** Characters in a body: everything the limits allow, if each character needs two. */
const MAX_BODY = 64 * 1024 * 1024

/**
 * Encodes the caller's value as JSON. Errors name fields as the caller knows them; `field` names the whole value, if it
 * has a name. `depth` counts from the objects that callers define, such as metadata and parts, which are at 1.
 */
export function toJson(value: unknown, field = '', depth = 0): string {
  try {
    return encodeJson(value, field || 'input', MAX_BODY, depth, Number.POSITIVE_INFINITY)
  } catch (error) {
    if (field !== '' || !(error instanceof ValidationError) || !error.field.startsWith('input.')) throw error
    const name = error.field.slice('input.'.length)
    throw new ValidationError(name, error.message.slice(error.field.length + 2))
  }
}

/** What the headers of every request of one caller say. */
export interface CallerHeaders {
  readonly principal?: Principal | undefined
  /** Generation of the run that writes. */
  readonly run?: number | undefined
}

/** Builds the headers of a request. */
export function buildHeaders(
  call: Call,
  { accept, token, principal, run }: { accept: string; token: string | undefined } & CallerHeaders,
): Record<string, string> {
  return defined({
    accept,
    'content-type': call.body === undefined ? undefined : 'application/json',
    authorization: token === undefined ? undefined : `Bearer ${checkToken(token)}`,
    'throughline-as': principal === undefined ? undefined : new URLSearchParams({ ...principal }).toString(),
    'throughline-run': run === undefined ? undefined : String(run),
    'idempotency-key': call.key === undefined ? undefined : encodeKey(call.key),
  })
}

/** Checked here because the error of `fetch` for an invalid header would print the token. */
function checkToken(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw new ValidationError('token', 'must be visible ASCII characters without spaces')
}

/** Encodes a key for a header. A key that is not printable ASCII becomes a display string (RFC 9651). */
function encodeKey(key: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key) && !/^%".*"$/.test(key)
  return isPlain ? key : `%"${encodeURIComponent(key)}"`
}
