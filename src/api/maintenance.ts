import type { Json } from '../domain/json.ts'
import type { CacheHealth } from '../ports/envelope-cache.ts'

export type { CacheHealth } from '../ports/envelope-cache.ts'

/** Options of `verify` and `rebuild`. */
export interface UpkeepOptions {
  /** Called as the work goes on. */
  onProgress?: (progress: UpkeepProgress) => void
}

/** How far the work is. `of` is what there was to do when it began: others may have written since. */
export interface UpkeepProgress {
  sessions: number
  events: number
  of: { sessions: number; events: number }
}

/** What `verify` looked at and found. */
export interface VerifyReport {
  sessions: number
  events: number
  differences: Difference[]
}

/** Something stored that is not what the log says. */
export interface Difference {
  sessionId: string
  /** Path in the views, such as `record.turns`, or `log` for a gap in the log itself. */
  field: string
  /** What the log says. */
  expected?: Json
  /** What is stored. */
  actual?: Json
}

/** What `rebuild` looked at and repaired. */
export interface RebuildReport {
  sessions: number
  events: number
  /** Ids of the sessions whose views were written anew. */
  repaired: string[]
}

/** That the store answers, and what it says of itself. Details are for the operator: whoever sees less than the whole store gets none. */
export interface Health {
  ok: true
  store: string
  schema?: number
  details: Readonly<Record<string, string | number>>
  /** The cache in front of it; absent where there is none. One that is not well slows reads down, and fails nothing. */
  cache?: CacheHealth
}
