import { StorageError } from '../domain/errors.ts'
import type { Timeouts } from './retry.ts'

/** The bearer token, or a function that returns one for each request. */
export type Token = string | (() => string | Promise<string>)

/** What all callers of one connection share. */
export interface Transport {
  /** Without a trailing slash. */
  readonly url: string
  /** The part of the address that error messages may show. */
  readonly origin: string
  readonly token: Token | undefined
  readonly timeouts: Timeouts
  /** Aborted when `close` starts: streams end and retries stop. */
  readonly closing: AbortController
  /** Aborted when `close` has waited long enough for pending requests. */
  readonly aborting: AbortController
  readonly pending: Set<Promise<unknown>>
}

export function createTransport(url: string, token: Token | undefined, timeouts: Timeouts): Transport {
  return {
    url: url.replace(/\/+$/, ''),
    origin: new URL(url).origin,
    token,
    timeouts,
    closing: new AbortController(),
    aborting: new AbortController(),
    pending: new Set(),
  }
}

/** Error for a response that ended before it was complete. */
export function incompleteResponse({ origin }: Transport): StorageError {
  return new StorageError('http', `the response from ${origin} ended early`)
}

/** Error for calls after `close`. */
export function connectionClosed(): StorageError {
  return new StorageError('http', 'the connection is closed')
}
