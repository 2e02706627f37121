import type { EnvelopeView } from '../domain/envelope.ts'

/**
 * The stored envelopes of all sessions, for the operator. Sessions write their own envelope with their events (S26).
 *
 * - E1 `page` returns sessions in ascending order of id, after `after`, each with its envelope if a current one is
 *   stored.
 * - E2 `find` returns the same for the given ids, in any order, without those that do not exist.
 * - E3 `count` and `remove` match stored rows, current or not: those of one backfill that nobody has written since, or
 *   those last written at or after a time. `remove` deletes at most `limit` rows in ascending order of id and returns
 *   their sessions. Logs stay; the next read folds.
 *
 * Every rule has tests of the same number in `stores/conformance`.
 */
export interface EnvelopeStore {
  page(query: { readonly after?: string; readonly limit: number }): Promise<EnvelopeRow[]>
  find(ids: readonly string[]): Promise<EnvelopeRow[]>
  count(which: EnvelopeFilter): Promise<number>
  remove(which: EnvelopeFilter, limit: number): Promise<string[]>
}

/** A session and its stored envelope. */
export interface EnvelopeRow {
  readonly sessionId: string
  readonly envelopeAt: number
  readonly envelope?: EnvelopeView
}

export type EnvelopeFilter =
  | { readonly batch: string }
  /** Last written at or after this time. */
  | { readonly since: string }
