import { StorageError } from '../domain/errors.ts'
import type { Patience } from './retry.ts'

/** Who is calling: the token itself, or what gives it for each request. */
export type Token = string | (() => string | Promise<string>)

/** What all who use one connection share. */
export interface Line {
  /** Without a slash at its end. */
  readonly url: string
  /** What errors may say of the address. */
  readonly origin: string
  readonly token: Token | undefined
  readonly patience: Patience
  /** Aborted by `close`: streams end, and nobody waits for another attempt. */
  readonly ending: AbortController
  /** Aborted when `close` has waited long enough for what was under way. */
  readonly cutting: AbortController
  readonly running: Set<Promise<unknown>>
}

/** A line that nobody uses yet. */
export function lineTo(url: string, token: Token | undefined, patience: Patience): Line {
  return {
    url: url.replace(/\/+$/, ''),
    origin: new URL(url).origin,
    token,
    patience,
    ending: new AbortController(),
    cutting: new AbortController(),
    running: new Set(),
  }
}

/** Of an answer that ended although there should be more. */
export function broken({ origin }: Line): StorageError {
  return new StorageError('http', `the server at ${origin} broke its answer off`)
}

/** Of calls after `close`. */
export function isClosed(): StorageError {
  return new StorageError('http', 'the connection is closed')
}
