import { StorageError } from '../domain/errors.ts'
import type { Timeouts } from './retry.ts'

/** Who is calling: the token itself, or what gives it for each request. */
export type Token = string | (() => string | Promise<string>)

/** What all who use one connection share. */
export interface Transport {
  /** Without a slash at its end. */
  readonly url: string
  /** What errors may say of the address. */
  readonly origin: string
  readonly token: Token | undefined
  readonly timeouts: Timeouts
  /** Aborted by `close`: streams end, and nobody waits for another attempt. */
  readonly closing: AbortController
  /** Aborted when `close` has waited long enough for what was under way. */
  readonly aborting: AbortController
  readonly pending: Set<Promise<unknown>>
}

/** A line that nobody uses yet. */
export function createTransport(url: string, token: Token | undefined, patience: Timeouts): Transport {
  return {
    url: url.replace(/\/+$/, ''),
    origin: new URL(url).origin,
    token,
    timeouts: patience,
    closing: new AbortController(),
    aborting: new AbortController(),
    pending: new Set(),
  }
}

/** Of an answer that ended although there should be more. */
export function incompleteResponse({ origin }: Transport): StorageError {
  return new StorageError('http', `the server at ${origin} broke its answer off`)
}

/** Of calls after `close`. */
export function connectionClosed(): StorageError {
  return new StorageError('http', 'the connection is closed')
}
