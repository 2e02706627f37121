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
  readonly repeatable?: boolean
}

/** Whether a call may be sent again after it may have arrived. */
export function mayRepeat({ method, key, repeatable = method === 'GET' }: Call): boolean {
  return repeatable || key !== undefined
}

/** A name in a path. */
export function segment(name: string, field: string): string {
  // whatever they are written as, on the way they are taken for steps through the path
  if (name === '.' || name === '..') throw new ValidationError(field, `must not be '${name}': it cannot stand in a URL`)
  return encodeURIComponent(name)
}

/** The values that are there, behind a `?`; lists as repeated keys. */
export function queryOf(values: object): string {
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(values)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined) query.append(name, String(item))
    }
  }
  return query.size === 0 ? '' : `?${query}`
}

/** Characters that a body may have: all that the limits allow, should each of them need two. */
const LARGEST = 64 * 1024 * 1024

/**
 * What the caller gave, as JSON text. What is not JSON is refused by the name that it has for the caller: `field` is the name of the whole, where
 * it has one. `depth` counts from the objects that callers make up, such as metadata and parts, which are at 1.
 */
export function jsonOf(value: unknown, field = '', depth = 0): string {
  try {
    return encodeJson(value, field || 'input', LARGEST, depth)
  } catch (error) {
    if (field !== '' || !(error instanceof ValidationError) || !error.field.startsWith('input.')) throw error
    const name = error.field.slice('input.'.length)
    throw new ValidationError(name, error.message.slice(error.field.length + 2))
  }
}

/** What a request says beside its path and body. */
export function headersOf(
  call: Call,
  { accept, token, principal }: { accept: string; token: string | undefined; principal: Principal | undefined },
): Record<string, string> {
  return {
    accept,
    ...(call.body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${checkedToken(token)}` }),
    ...(principal !== undefined && { 'throughline-as': new URLSearchParams({ ...principal }).toString() }),
    ...(call.key !== undefined && { 'idempotency-key': keyText(call.key) }),
  }
}

/** Checked here, since an error of the header would repeat it. */
function checkedToken(token: unknown): string {
  if (typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)) return token
  throw new ValidationError('token', 'must be a text of visible ASCII characters without blanks')
}

/** A key as a header can hold it: other characters than printable ASCII make it a display string of RFC 9651. */
function keyText(key: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key) && !/^%".*"$/.test(key)
  return isPlain ? key : `%"${encodeURIComponent(key)}"`
}
