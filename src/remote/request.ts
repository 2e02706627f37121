import { ValidationError } from '../domain/errors.ts'
import { encodeJson } from '../domain/json.ts'
import type { Principal } from '../domain/record.ts'

/** One call of the server's API. */
export interface Call {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/v1`, with the query. */
  readonly path: string
  /** JSON text. */
  readonly body?: string
  /** With a key the server does it once, however often it is sent. */
  readonly key?: string
  /** It comes to the same when it is done twice. @default true for GET */
  readonly idempotent?: boolean
}

/** Whether a call may be sent again after it may have arrived. */
export function isRetrySafe({ method, key, idempotent = method === 'GET' }: Call): boolean {
  return idempotent || key !== undefined
}

/** A name in a path. */
export function encodeSegment(name: string, field: string): string {
  // whatever they are written as, on the way they are taken for steps through the path
  if (name === '.' || name === '..') throw new ValidationError(field, `must not be '${name}': it cannot stand in a URL`)
  return encodeURIComponent(name)
}

/** The values that are there, behind a `?`; lists as repeated keys. */
export function queryString(values: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) query.append(name, String(item))
    }
  }
  return query.size === 0 ? '' : `?${query}`
}

/** Characters that a body may have: all that the limits allow, should each of them need two. */
const MAX_BODY = 64 * 1024 * 1024

/**
 * What the caller gave, as JSON text. What is not JSON is refused by the name that it has for the caller: `field` is the name of the whole, where
 * it has one. `depth` counts from the objects that callers make up, such as metadata and parts, which are at 1.
 */
export function toJson(value: unknown, field = '', depth = 0): string {
  try {
    return encodeJson(value, field || 'input', MAX_BODY, depth)
  } catch (error) {
    if (field !== '' || !(error instanceof ValidationError) || !error.field.startsWith('input.')) throw error
    const name = error.field.slice('input.'.length)
    throw new ValidationError(name, error.message.slice(error.field.length + 2))
  }
}

/** What a request says beside its path and body. */
export function buildHeaders(
  call: Call,
  { accept, token, principal }: { accept: string; token: string | undefined; principal: Principal | undefined },
): Record<string, string> {
  return {
    accept,
    ...(call.body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${checkToken(token)}` }),
    ...(principal !== undefined && { 'throughline-as': new URLSearchParams({ ...principal }).toString() }),
    ...(call.key !== undefined && { 'idempotency-key': encodeKey(call.key) }),
  }
}

/** Checked here, since an error of the header would repeat it. */
function checkToken(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw new ValidationError('token', 'must be a text of visible ASCII characters without blanks')
}

/** A key as a header can hold it: other characters than printable ASCII make it a display string of RFC 9651. */
function encodeKey(key: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key) && !/^%".*"$/.test(key)
  return isPlain ? key : `%"${encodeURIComponent(key)}"`
}
