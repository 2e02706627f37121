import type { IncomingHttpHeaders } from 'node:http'
import type { WriteOptions } from '../api.ts'
import { ValidationError } from '../domain/errors.ts'
import type { Principal } from '../domain/record.ts'

/**
 * The key in the header `Idempotency-Key`. A key beyond printable ASCII is sent as a display string (RFC 9651):
 * percent-encoded, between `%"` and `"`.
 */
export function keyIn(headers: IncomingHttpHeaders): WriteOptions {
  const value = headers['idempotency-key']
  if (value === undefined) return {}
  const [, encoded] = /^%"(.*)"$/.exec(String(value)) ?? []
  return { idempotencyKey: encoded === undefined ? String(value) : decoded(encoded) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch (cause) {
    throw new ValidationError('idempotencyKey', 'must be percent-encoded UTF-8 in the form %"…"', { cause })
  }
}

/** The generation in the header `Throughline-Run` of a run's write. */
export function runIn(headers: IncomingHttpHeaders): number | undefined {
  const value = headers['throughline-run']
  if (value === undefined) return undefined
  if (!/^\d{1,9}$/.test(String(value))) throw new ValidationError('throughline-run', 'must be the number of a run')
  return Number(value)
}

/** The principal to act for, from the header `Throughline-As`: `tenant=acme&userId=ada`. */
export function principalIn(headers: IncomingHttpHeaders): Principal | undefined {
  const value = headers['throughline-as']
  if (value === undefined) return undefined
  // checked where it is used
  return Object.fromEntries(new URLSearchParams(String(value))) as unknown as Principal
}
