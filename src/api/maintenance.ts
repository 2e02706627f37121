import type { Json } from '../domain/json.ts'
import type { CacheHealth } from '../ports/envelope-cache.ts'

export type { CacheHealth } from '../ports/envelope-cache.ts'

/** Options of `verify` and `rebuild`. */
export interface UpkeepOptions {
  /** Called with the progress. */
  onProgress?: (progress: UpkeepProgress) => void
}

/** Progress of `verify`, `rebuild` and `export`. `of` is the total at the start; others may have written since. */
export interface UpkeepProgress {
  sessions: number
  events: number
  of: { sessions: number; events: number }
}

/** Result of `verify`. */
export interface VerifyReport {
  sessions: number
  events: number
  differences: Difference[]
}

/** Damage of a log, or a stored value that differs from the log. */
export interface Difference {
  sessionId: string
  /**
   * Path in the views, for example `record.turns`, or what is wrong with the log itself: `log` (events are missing),
   * `log.checksum` (an event was changed) or `log.hash` (in the range of a commit or summary, the order or times were).
   */
  field: string
  /** The changed event, or the commit or summary. */
  sequence?: number
  /** Value folded from the log; of the log itself, what was recorded when it was written. */
  expected?: Json
  /** Stored value; of the log itself, what the stored events give. */
  actual?: Json
}

/** Result of `rebuild`. */
export interface RebuildReport {
  sessions: number
  events: number
  /** Ids of sessions whose views were rewritten. */
  repaired: string[]
}

/** Health of the store. Details are empty for everyone but the operator. */
export interface Health {
  ok: true
  store: string
  schema?: number
  details: Readonly<Record<string, string | number>>
  /** Health of the cache; absent without one. A failing cache slows reads down but fails nothing. */
  cache?: CacheHealth
}
