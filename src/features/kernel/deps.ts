import { DEFAULT_AGENT } from '../../domain/agents.ts'
import type { CutCache } from '../../domain/context/forms.ts'
import { toIso } from '../../domain/iso-time.ts'
import type { Policy } from '../../domain/policy.ts'
import type { Prices } from '../../domain/price.ts'
import type { Principal } from '../../domain/record.ts'
import type { ToolTable } from '../../domain/tools/tool-table.ts'
import type { CountTokens } from '../../domain/window.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Compute } from '../../ports/compute.ts'
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
import type { LogCache } from './log-cache.ts'

/** What every operation works with. */
export interface Deps {
  readonly store: Store
  readonly clock: Clock
  readonly newId: () => string
  /** The secret of the store: the first word of ids derived from idempotency keys. Read once. */
  readonly idSecret: () => Promise<string>
  /** Loads the tokenizer on first use: the exact one takes a quarter of a second and 75 MB. */
  readonly tokenizer: () => Promise<Tokenizer>
  /** Counts long texts like the tokenizer, without blocking the event loop. Absent: it counts them in slices. */
  readonly countLong?: CountTokens
  /** Token counts of stored events by this tokenizer, which every read with a budget needs again. */
  readonly tokenCounts: CutCache
  /** Messages of the sessions whose contexts were built last. */
  readonly logCache: LogCache
  /** Ids of the registered agents, the default first; empty where any agent id is accepted. */
  readonly agents: readonly string[]
  /** Observations that are not in the log yet, by session. */
  readonly staging: Staging
  /** Runs the messages of one conversation in order. */
  readonly conversationMutex: KeyedMutex
  readonly policy: Policy
  /** For the cost of model calls whose callers did not say it. */
  readonly prices?: Prices
  /** What tool calls mean. Loads the table on first use. */
  readonly tools: () => Promise<ToolTable>
  readonly classify: Classifier
  readonly summarize: Summarizer
  readonly extract: Extractor
  /** Long computations on texts, which do not block the event loop. */
  readonly compute: Compute
  /** Ranks by meaning as well as by words, if an embedder is configured. */
  readonly fuse?: Fuse
  /** Indexes new events while the process is quiet. */
  readonly background: Background
  /** Caches envelopes in front of the store; absent if there is no cache. */
  readonly cache?: EnvelopeCache
  /** Whether the store keeps envelopes; if not, each read folds them from the log and none is written. */
  readonly keepsEnvelopes: boolean
  readonly metrics: Metrics
  /** Opens a legacy database of sessions. */
  readonly legacy: (where: { from: string; table?: string }) => Promise<LegacySource>
  /** Whose sessions the caller may see; absent for the operator, who sees all. The only place where identity enters. */
  readonly within?: Principal
  /** The run that the call is part of; its store refuses writes once that run is over. */
  readonly run?: { readonly sessionId: string; readonly generation: number }
  /** The store as a caller with a quota uses it; absent if there are no quotas. */
  readonly storeFor?: (caller: Principal) => Store
  /** Aborted when the store closes. */
  readonly closed: AbortSignal
}

/** The agent that a new session starts with. */
export function defaultAgent({ agents }: Deps): string {
  return agents[0] ?? DEFAULT_AGENT
}

/** The key of a session as this caller may see it. */
export function keyOf({ within }: Deps, sessionId: string): SessionKey {
  return within === undefined ? { sessionId } : { sessionId, within }
}

/** The current time in the form the log uses. */
export function now(deps: Deps): string {
  return toIso(deps.clock.now())
}
