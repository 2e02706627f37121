import { DEFAULT_AGENT } from '../../domain/agents.ts'
import { toIso } from '../../domain/iso-time.ts'
import type { Policy } from '../../domain/policy.ts'
import type { Principal } from '../../domain/record.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Fuse } from '../../ports/embed.ts'
import type { EnvelopeCache } from '../../ports/envelope-cache.ts'
import type { LegacySource } from '../../ports/legacy-source.ts'
import type { Metrics } from '../../ports/metrics.ts'
import type { Classifier, Extractor, Summarizer } from '../../ports/model.ts'
import type { SessionKey } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import type { Tokenizer } from '../../ports/tokenizer.ts'
import type { Staging } from '../work/staging.ts'
import type { Background } from './background.ts'
import type { KeyedMutex } from './keyed-mutex.ts'

/** What the operations work with. */
export interface Deps {
  readonly store: Store
  readonly clock: Clock
  readonly newId: () => string
  /** Loads the tokenizer on first use: the exact one takes a quarter of a second and 75 MB. */
  readonly tokenizer: () => Promise<Tokenizer>
  /** Ids of the registered agents, the default first; empty where any agent id is accepted. */
  readonly agents: readonly string[]
  /** What was observed and is not yet in the log, by session. */
  readonly staging: Staging
  /** Lets the messages of one conversation come one after the other. */
  readonly conversationMutex: KeyedMutex
  readonly policy: Policy
  readonly classify: Classifier
  readonly summarize: Summarizer
  readonly extract: Extractor
  /** Ranks by meaning beside the words, where there is an embedder. */
  readonly fuse?: Fuse
  /** Reads what was written, when there is time for it. */
  readonly background: Background
  /** Envelopes in front of the store; absent where there is no cache. */
  readonly cache?: EnvelopeCache
  /** Whether the store keeps envelopes; otherwise each read folds them from the log, and none is written. */
  readonly keepsEnvelopes: boolean
  readonly metrics: Metrics
  /** Opens the sessions of an older system. */
  readonly legacy: (where: { from: string; table?: string }) => Promise<LegacySource>
  /** Whose sessions the caller may see; absent for the operator, who sees all. The one place where identity enters. */
  readonly within?: Principal
  /** Aborted when the store closes. */
  readonly closed: AbortSignal
}

/** The agent that a new session starts with. */
export function defaultAgent({ agents }: Deps): string {
  return agents[0] ?? DEFAULT_AGENT
}

/** The session, for whoever is calling. */
export function keyOf({ within }: Deps, sessionId: string): SessionKey {
  return within === undefined ? { sessionId } : { sessionId, within }
}

/** The present moment as it is written into the log. */
export function now(deps: Deps): string {
  return toIso(deps.clock.now())
}
