import type { Clock } from '../ports/clock.ts'
import type { SessionStore } from '../ports/session-store.ts'
import type { Tokenizer } from '../ports/tokenizer.ts'

/** What the operations work with. */
export interface Deps {
  readonly store: SessionStore
  readonly clock: Clock
  readonly newId: () => string
  /** Loads the tokenizer on first use: the exact one takes a quarter of a second and 75 MB. */
  readonly tokenizer: () => Promise<Tokenizer>
  /** Ids of the agents, the default first. */
  readonly agents: readonly [string, ...string[]]
  /** Aborted when the store closes. */
  readonly closed: AbortSignal
}

/** The present moment as it is written into the log. */
export function now(deps: Deps): string {
  return new Date(deps.clock.now()).toISOString()
}
