import type { Throughline } from '../api.ts'
import { ValidationError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { defined } from '../domain/optional.ts'
import { DEFAULT_POLICY, type Policy } from '../domain/policy.ts'
import type { Prices } from '../domain/price.ts'
import type { Principal } from '../domain/record.ts'
import { Background, type Reading } from '../features/kernel/background.ts'
import { nodeCrypto } from '../features/kernel/crypto.ts'
import type { Deps } from '../features/kernel/deps.ts'
import { KeyedMutex } from '../features/kernel/keyed-mutex.ts'
import { limitedStore } from '../features/kernel/limited-store.ts'
import { LogCache } from '../features/kernel/log-cache.ts'
import { type QuotaLimits, Quotas } from '../features/kernel/quotas.ts'
import { RecentCache } from '../features/kernel/recent-cache.ts'
import { Staging } from '../features/work/staging.ts'
import { uuid7 } from '../ids.ts'
import { lazy } from '../lazy.ts'
import { noMetrics } from '../metrics/none.ts'
import { requireModelOrFunction } from '../models/language-model.ts'
import type { Compute } from '../ports/compute.ts'
import type { Fuse } from '../ports/embed.ts'
import type { EnvelopeCache } from '../ports/envelope-cache.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { Store } from '../ports/store.ts'
import type { Tokenizer } from '../ports/tokenizer.ts'
import { throughlineOn } from '../throughline.ts'
import { TextCompute } from '../worker/compute.ts'
import { checkedOptions, type OpenOptions, type Options } from './options.ts'
import { openServer } from './server.ts'
import { countSetting, flagSetting } from './settings.ts'
import { DEFAULT_URL, type StoreTarget, targetOf } from './target.ts'

/** Token counts to keep, each about 100 bytes: those of a few hundred long sessions. */
const TOKEN_COUNTS = 50_000

/** Characters of the logs to keep for the next context: those of a few long coding sessions, parsed about 40 MB. */
const CACHED_LOGS = LIMITS.windowSize / 2

const newId = () => uuid7()

/**
 * Opens a store: `memory:`, `sqlite:PATH` (created on first use) or `postgres://…`, or the store of a server by its
 * address, `https://…`. Nothing is loaded, read or written before this call. Close the result when you are done.
 */
export async function open(target: string | OpenOptions = {}): Promise<Throughline> {
  const given = typeof target === 'string' ? { url: target } : target
  const options = checkedOptions(given)
  const where = targetOf(urlOf(options))
  if (where.store === 'http') return await openServer(where.url, given)
  const { deps, close } = await openDepsAt(where, options)
  return throughlineOn(deps, close)
}

function urlOf({ url }: Options): string {
  return url ?? process.env['THROUGHLINE_URL'] ?? DEFAULT_URL
}

/** An open store with everything the operations need. */
export interface Opened {
  readonly deps: Deps
  close(): Promise<void>
}

/** Like {@link open}, for fronts that call the operations themselves. */
export async function openDeps(given: OpenOptions): Promise<Opened> {
  const options = checkedOptions(given)
  const where = targetOf(urlOf(options))
  if (where.store === 'http') throw new ValidationError('url', 'must be a store, not the address of a server')
  return await openDepsAt(where, options)
}

async function openDepsAt(where: StoreTarget, options: Options): Promise<Opened> {
  if (options.token !== undefined)
    throw new ValidationError('token', 'is only for servers; remove it to open a store directly')
  const keepsEnvelopes = keepsEnvelopesBy(options)
  const metrics = await metricsOf(options)
  const cache = await openCache(where, options, metrics)
  let store: Store | undefined
  try {
    store = await openStore(where, options)
    return depsWith(store, options, defined({ keepsEnvelopes, metrics, cache }))
  } catch (error) {
    await store?.close()
    await cache?.close()
    throw error
  }
}

/** The public object over a store, and a cache, that are already open. */
export function openOn(store: Store, options: OpenOptions = {}, around: Partial<Around> = {}): Throughline {
  const parsed = checkedOptions(options)
  const keepsEnvelopes = keepsEnvelopesBy(parsed)
  const { deps, close } = depsWith(store, parsed, { keepsEnvelopes, metrics: noMetrics, ...around })
  return throughlineOn(deps, close)
}

type Around = Pick<Deps, 'keepsEnvelopes' | 'metrics' | 'cache'>

function depsWith(store: Store, options: Options, around: Around): Opened {
  const closing = new AbortController()
  const compute = new TextCompute({ threaded: options.index })
  const limits = quotaOf(options)
  const quotas = limits && new Quotas(store, limits, around.metrics)
  const background = new Background(options.index ? (reading) => readAhead(deps, reading) : undefined)
  const deps: Deps = {
    store,
    clock: options.clock ?? store.clock,
    newId,
    idSecret: secretOf(store),
    tokenizer: lazy(() => loadTokenizer(options.tokenizer)),
    ...(options.tokenizer === 'exact' && { countLong: compute.countTokens }),
    tokenCounts: new RecentCache(TOKEN_COUNTS),
    logCache: new LogCache(CACHED_LOGS),
    agents: [...options.agents],
    staging: new Staging(),
    conversationMutex: new KeyedMutex(),
    policy: policyOf(options.policy),
    ...(options.prices !== undefined && { prices: options.prices as Prices }),
    tools: lazy(async () => (await import('../features/work/tools.ts')).createToolTable(options.tools)),
    ...modelsOf(options, compute),
    compute,
    background,
    ...around,
    legacy: async ({ from, ...where }) => (await import('../legacy/index.ts')).legacySource({ url: from, ...where }),
    closed: closing.signal,
    ...(quotas !== undefined && { storeFor: (caller: Principal) => limitedStore(store, caller, quotas) }),
  }
  const close = async () => {
    closing.abort()
    background.stop()
    try {
      await compute.close()
      await store.close()
    } finally {
      await around.cache?.close()
    }
  }
  return { deps, close }
}

/** Reads the secret of the store on first use, and again only if that failed. */
function secretOf(store: Store): () => Promise<string> {
  let known: string | undefined
  return async () => {
    known ??= await store.secret(nodeCrypto().randomBytes(32).toString('hex'))
    return known
  }
}

/** Classifier, summarizer and extractor, loaded on first use: the extractor's rules alone take a sixth of a second. */
function modelsOf(
  { classify, summarize, extract, embed }: Options,
  { extractFacts }: Compute,
): Pick<Deps, (typeof MODELS)[number] | 'fuse'> {
  for (const field of MODELS) requireModelOrFunction(field, { classify, summarize, extract }[field])
  return {
    classify: lazyFunction(async () => (await import('../models/classifier.ts')).createClassifier(classify)),
    summarize: lazyFunction(async () => (await import('../models/summarizer.ts')).createSummarizer(summarize)),
    extract: lazyFunction(async () =>
      (await import('../models/extractor.ts')).createExtractor(extract, { extractFacts }),
    ),
    ...(embed !== undefined && {
      fuse: lazyFunction(async () => (await import('../models/embedder.ts')).createFuse(embed) as Fuse),
    }),
  }
}

const MODELS = ['classify', 'summarize', 'extract'] as const

/** A function that is loaded on its first call. */
function lazyFunction<Input extends unknown[], Output>(load: () => Promise<(...input: Input) => Promise<Output>>) {
  const loaded = lazy(load)
  return async (...input: Input): Promise<Output> => await (await loaded())(...input)
}

/** Messages indexed before another session has its turn. */
const BACKGROUND_PAGE = 50

/** Indexes a little of a session; true while there is more. */
async function readAhead(deps: Deps, { sessionId, milestone, pause }: Reading): Promise<boolean> {
  const { indexSession } = await import('../features/term-index/operation.ts')
  const { done } = await indexSession(deps, sessionId, { most: BACKGROUND_PAGE, pause })
  const { deriveWork } = await import('../features/tool-work/operation.ts')
  const isDerived = await deriveWork(deps, sessionId, { pages: 1, continues: true, pause })
  if (!done || !isDerived) return true
  if (!milestone) return false
  const { extractMemories } = await import('../features/memory/operation.ts')
  await extractMemories(deps, sessionId)
  return false
}

/** The caller's policy, else the environment's (in seconds), else the default. */
function policyOf(given: { idleTimeoutMs?: number | undefined; staleTimeoutMs?: number | undefined }): Policy {
  const ms = (name: string) => {
    const seconds = countSetting(name)
    return seconds === undefined ? undefined : seconds * 1000
  }
  const policy = {
    idleTimeoutMs: given.idleTimeoutMs ?? ms('SESSION_IDLE_TIMEOUT_SECONDS') ?? DEFAULT_POLICY.idleTimeoutMs,
    staleTimeoutMs: given.staleTimeoutMs ?? ms('SESSION_STALE_TIMEOUT_SECONDS') ?? DEFAULT_POLICY.staleTimeoutMs,
  }
  const isGiven = given.idleTimeoutMs !== undefined && given.staleTimeoutMs !== undefined
  if (isGiven && policy.idleTimeoutMs > policy.staleTimeoutMs) {
    throw new ValidationError('policy.idleTimeoutMs', 'must not be longer than staleTimeoutMs')
  }
  return policy
}

/** The caller's quotas, else the environment's; `undefined` without any. */
function quotaOf({ quota }: Options): QuotaLimits | undefined {
  const limits = defined({
    tenantBytes: quota?.tenantBytes ?? countSetting('THROUGHLINE_TENANT_QUOTA_BYTES'),
    userBytes: quota?.userBytes ?? countSetting('THROUGHLINE_USER_QUOTA_BYTES'),
  })
  return Object.keys(limits).length === 0 ? undefined : limits
}

function keepsEnvelopesBy({ envelopes }: Options): boolean {
  return envelopes ?? flagSetting('SESSION_ENVELOPE_ENABLED') ?? true
}

async function metricsOf({ metrics }: Options): Promise<Metrics> {
  if (metrics === undefined) return noMetrics
  const { prometheusMetrics } = await import('../metrics/prometheus.ts')
  // typed by its methods, so that our public types need no prom-client
  return await prometheusMetrics(metrics as Parameters<typeof prometheusMetrics>[0])
}

const DEFAULT_CACHE_TTL_SECONDS = 900

async function openCache(target: StoreTarget, options: Options, metrics: Metrics): Promise<EnvelopeCache | undefined> {
  if (target.store !== 'postgres') {
    if (options.cache === undefined || options.cache === '') return undefined
    throw new ValidationError('cache', `is only for postgres://…; ${target.store} does not need one`)
  }
  const url = options.cache ?? process.env['THROUGHLINE_CACHE_URL']
  if (url === undefined || url === '') return undefined
  const ttlSeconds = options.cacheTtlSeconds ?? countSetting('SESSION_CACHE_TTL_SECONDS') ?? DEFAULT_CACHE_TTL_SECONDS
  const { redisCache } = await import('../cache/redis/index.ts')
  return await redisCache({ url, ttlSeconds, events: metrics.cache })
}

async function openStore(target: StoreTarget, options: Options): Promise<Store> {
  if (target.store === 'memory') {
    const { memoryStore } = await import('../stores/memory/index.ts')
    return memoryStore(newId)
  }
  if (target.store === 'postgres') {
    const { postgresStore } = await import('../stores/postgres/index.ts')
    return await postgresStore({ url: target.url, migrate: options.migrate ?? false })
  }
  const { sqliteStore } = await import('../stores/sqlite/index.ts')
  return await sqliteStore({
    path: target.path,
    durability: options.durability,
    migrate: options.migrate ?? true,
    newId,
  })
}

async function loadTokenizer(choice: 'exact' | 'estimate' | Tokenizer): Promise<Tokenizer> {
  if (choice === 'exact') return await (await import('../tokenizers/exact.ts')).exactTokenizer()
  if (choice === 'estimate') return (await import('../tokenizers/estimate.ts')).estimateTokenizer
  return choice
}
