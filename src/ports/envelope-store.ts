import type { EnvelopeView } from '../domain/envelope.ts'

/**
 * The stored envelopes of all sessions, for whoever runs the store. Sessions themselves write theirs with their events (S26).
 *
 * - E1 `page` gives the sessions in ascending order of id, from behind `after`, each with its envelope where one is stored and up to date.
 * - E2 `find` gives the same for the ids asked for, in any order, without those that do not exist.
 * - E3 `count` and `remove` go by what is stored, up to date or not: the rows of one backfill that nobody wrote since, or those last written at or
 *   after a moment. `remove` takes at most `limit` of them, in ascending order of id, and gives their sessions. No log is touched, and the next read folds.
 *
 * Every rule has tests of the same number in `stores/conformance`.
 */
export interface EnvelopeStore {
  page(query: { readonly after?: string; readonly limit: number }): Promise<EnvelopeRow[]>
  find(ids: readonly string[]): Promise<EnvelopeRow[]>
  count(which: EnvelopeFilter): Promise<number>
  remove(which: EnvelopeFilter, limit: number): Promise<string[]>
}

/** A session and what is stored of its envelope. */
export interface EnvelopeRow {
  readonly sessionId: string
  readonly envelopeAt: number
  readonly envelope?: EnvelopeView
}

export type EnvelopeFilter =
  | { readonly batch: string }
  /** Last written at or after this moment. */
  | { readonly since: string }
