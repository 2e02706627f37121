import { z } from 'zod/mini'
import { LIMITS } from '../domain/limits.ts'
import type { Policy } from '../domain/policy.ts'
import type { Prices } from '../domain/price.ts'
import { name, parse, schema, text } from '../features/kernel/parse.ts'
import type { QuotaLimits } from '../features/kernel/quotas.ts'
import type { Clock } from '../ports/clock.ts'
import type { Embed } from '../ports/embed.ts'
import type { MetricsRegistry } from '../ports/metrics.ts'
import type { Classify, Extract, LanguageModel, Summarize } from '../ports/model.ts'
import type { Tokenizer } from '../ports/tokenizer.ts'
import type { ToolReader } from '../ports/tool-reader.ts'

/** Options of {@link open}. */
export interface OpenOptions {
  /**
   * `memory:`, `sqlite:PATH`, `postgres://…`, or `https://…` of a server. @default `THROUGHLINE_URL`, else
   * `sqlite:.throughline/sessions.db`
   */
  url?: string
  /**
   * The caller's JSON Web Token for a server, or a function that returns one for each request. Most other options
   * belong to the server and are refused together with its address. @default `THROUGHLINE_TOKEN`
   */
  token?: string | (() => string | Promise<string>)
  /**
   * SQLite: `full` acknowledges a write once it survives power loss, `relaxed` once it survives the end of the process.
   * @default 'full'
   */
  durability?: 'full' | 'relaxed'
  /** Whether to create or upgrade the schema. @default true for an embedded store, false for Postgres */
  migrate?: boolean
  /**
   * Ids of the registered agents, the default first. @default none: any agent id is accepted, `assistant` comes first
   */
  agents?: readonly string[]
  /** `exact` counts like OpenAI's o200k, `estimate` by length, or your own. @default 'exact' */
  tokenizer?: 'exact' | 'estimate' | Tokenizer
  /** The source of times. @default the clock of the database; of this machine for `memory:` and SQLite */
  clock?: Clock
  /**
   * After how long `resume` asks before continuing (idle), and a session is closed (stale). @default 24 h and 7 days
   */
  policy?: Partial<Policy>
  /** Classifies user messages: a function or an AI SDK language model. @default rules that work offline */
  classify?: Classify | LanguageModel
  /** Summarises sessions: a function or an AI SDK language model. @default an extract */
  summarize?: Summarize | LanguageModel
  /** Extracts memories: a function or an AI SDK language model. @default rules that work offline */
  extract?: Extract | LanguageModel
  /**
   * What calls of your own tools mean, by name: files read, files written, commands, or a function. `false` switches a
   * known tool off. Give every process that opens the store the same tools. @default the known tools only
   */
  tools?: Readonly<Record<string, ToolReader>>
  /**
   * Caches envelopes in front of Postgres: `redis://…` or `redis+cluster://HOST:PORT,HOST:PORT`. Redis may be flushed
   * or stopped at any time. @default `THROUGHLINE_CACHE_URL` for Postgres, else none; empty for none
   */
  cache?: string
  /** How long an envelope stays in the cache. @default `SESSION_CACHE_TTL_SECONDS`, else 900 */
  cacheTtlSeconds?: number
  /**
   * Whether to store envelopes; if not, each read folds them from the log. @default `SESSION_ENVELOPE_ENABLED`, else
   * true
   */
  envelopes?: boolean
  /**
   * US dollars per million tokens by model: `{ 'gpt-5': { input: 1.25, output: 10, cacheRead: 0.125 } }`. Adds the cost
   * to appended usage that has none. @default none: costs are those that callers give
   */
  prices?: Prices
  /**
   * Most bytes that a tenant, and a user, may store. Beyond it their writes are refused with `QUOTA_EXCEEDED`; reads,
   * ends and purges still work. It limits what `as()` returns and callers of a server, not the operator. @default
   * `THROUGHLINE_TENANT_QUOTA_BYTES` and `THROUGHLINE_USER_QUOTA_BYTES`, else no limit
   */
  quota?: QuotaLimits
  /** A prom-client registry for the metrics. @default none: nothing is counted */
  metrics?: MetricsRegistry
  /** Embeds texts, so that `recall` and `memories.search` also rank by meaning. @default by words only */
  embed?: Embed
  /**
   * Whether to index logs and extract memories in the background while the process is quiet. If not, `index()` does it,
   * and `recall()` indexes what is missing. @default true
   */
  index?: boolean
}

const withMethod = <T>(method: string) =>
  z.custom<T>((value) => {
    const member = (value as Record<string, unknown> | null | undefined)?.[method]
    return typeof member === 'function'
  }, `must have a method ${method}()`)

const toolReader = schema(() => {
  const argument = z.optional(name())
  return z.union(
    [
      z.literal(false),
      z
        .strictObject({ fileRead: argument, fileWrite: argument, command: argument })
        .check(z.refine((given) => Object.keys(given).length > 0)),
      z.custom<ToolReader>((value) => typeof value === 'function'),
    ],
    "must be false, a function, or names of arguments such as { fileRead: 'path' }",
  )
})

/** The default of each option. */
const DEFAULTS = {
  durability: 'full',
  agents: [],
  tokenizer: 'exact',
  policy: {},
  index: true,
} as const

/** The highest price that is accepted, in US dollars per million tokens. */
const MAX_PRICE = 100_000

/** Checks {@link Prices}. */
export const pricesInput = schema(() => {
  const price = z.number().check(z.minimum(0), z.maximum(MAX_PRICE))
  const model = text(LIMITS.model).check(z.minLength(1))
  const tokens = { input: price, output: price, cacheRead: z.optional(price), cacheWrite: z.optional(price) }
  return z.record(model, z.strictObject(tokens))
})

/** Checks {@link OpenOptions}. */
const openOptions = schema(() => {
  const count = z.optional(z.int().check(z.minimum(1)))
  return z.strictObject({
    url: z.optional(z.string().check(z.minLength(1))),
    token: z.optional(
      z.custom<NonNullable<OpenOptions['token']>>(
        (value) => typeof value === 'function' || (typeof value === 'string' && value !== ''),
        'must be a token',
      ),
    ),
    durability: z._default(z.enum(['full', 'relaxed']), DEFAULTS.durability),
    migrate: z.optional(z.boolean()),
    agents: z._default(z.readonly(z.array(name())), DEFAULTS.agents),
    tokenizer: z._default(z.union([z.enum(['exact', 'estimate']), withMethod<Tokenizer>('count')]), DEFAULTS.tokenizer),
    clock: z.optional(withMethod<Clock>('now')),
    policy: z._default(z.strictObject({ idleTimeoutMs: count, staleTimeoutMs: count }), DEFAULTS.policy),
    classify: z.optional(z.custom<Classify | LanguageModel>()),
    summarize: z.optional(z.custom<Summarize | LanguageModel>()),
    extract: z.optional(z.custom<Extract | LanguageModel>()),
    embed: z.optional(z.custom<Embed>((value) => typeof value === 'function', 'must be a function')),
    tools: z.optional(z.record(name(), toolReader())),
    index: z._default(z.boolean(), DEFAULTS.index),
    cache: z.optional(z.string()),
    cacheTtlSeconds: count,
    envelopes: z.optional(z.boolean()),
    prices: z.optional(pricesInput()),
    quota: z.optional(z.strictObject({ tenantBytes: count, userBytes: count })),
    metrics: z.optional(withMethod<MetricsRegistry>('registerMetric')),
  })
})

const isFlag = (value: unknown) => typeof value === 'boolean'

/** Quick checks of common options: building the schema, which explains what is wrong, takes 8 ms at startup. */
const PLAIN: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['url', (value) => typeof value === 'string' && value !== ''],
  ['durability', (value) => value === 'full' || value === 'relaxed'],
  ['migrate', isFlag],
  ['index', isFlag],
  ['envelopes', isFlag],
])

/** Checks the options and fills in the defaults. */
export function checkedOptions(given: OpenOptions): Options {
  // an instance of a class may inherit options
  if (given === null || Object.getPrototypeOf(given) !== Object.prototype) return parse(openOptions, given)
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  if (!named.every(([option, value]) => PLAIN.get(option)?.(value))) return parse(openOptions, given)
  return { ...DEFAULTS, ...Object.fromEntries(named) }
}

/** {@link OpenOptions} with the defaults filled in. */
export type Options = z.output<ReturnType<typeof openOptions>>
