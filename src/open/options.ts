import { z } from 'zod/mini'
import type { Policy } from '../domain/policy.ts'
import { name, parse, schema } from '../features/kernel/parse.ts'
import type { Clock } from '../ports/clock.ts'
import type { Embed } from '../ports/embed.ts'
import type { MetricsRegistry } from '../ports/metrics.ts'
import type { Classify, Extract, LanguageModel, Summarize } from '../ports/model.ts'
import type { Tokenizer } from '../ports/tokenizer.ts'

/** How to open a store, and what to use beside it. */
export interface OpenOptions {
  /**
   * `memory:`, `sqlite:PATH`, `postgres://…`, or `https://…` of a server. @default `THROUGHLINE_URL`, else
   * `sqlite:.throughline/sessions.db`
   */
  url?: string
  /**
   * Who is calling, for a server: a JSON Web Token, or what gives one, which is asked for each request. Most other options belong to the server,
   * and are refused beside it. @default `THROUGHLINE_TOKEN`
   */
  token?: string | (() => string | Promise<string>)
  /**
   * SQLite: `full` acknowledges a write when it would survive power loss, `relaxed` when it would survive the end of the
   * process. @default 'full'
   */
  durability?: 'full' | 'relaxed'
  /** Bring an older schema up to date. @default true for an embedded store, false for Postgres */
  migrate?: boolean
  /** Ids of the registered agents, the default first. @default none: any agent id is accepted, `assistant` comes first */
  agents?: readonly string[]
  /** `exact` counts as OpenAI's o200k does, `estimate` goes by length, or your own. @default 'exact' */
  tokenizer?: 'exact' | 'estimate' | Tokenizer
  /** Where times come from. @default the system's clock */
  clock?: Clock
  /** How long a session may rest before it is asked for (idle) and before it is over (stale). @default 24 h and 7 days */
  policy?: Partial<Policy>
  /** Judges what a user's message means; a function or a language model of the AI SDK. @default rules that work offline */
  classify?: Classify | LanguageModel
  /** Sums up what was done; a function or a language model of the AI SDK. @default an extract */
  summarize?: Summarize | LanguageModel
  /** Gathers what is worth remembering; a function or a language model of the AI SDK. @default rules that work offline */
  extract?: Extract | LanguageModel
  /**
   * Keeps envelopes in front of a Postgres store: `redis://…`, or `redis+cluster://HOST:PORT,HOST:PORT`. It may be flushed or stopped at any
   * time. @default `THROUGHLINE_CACHE_URL` for Postgres, else none; empty for none
   */
  cache?: string
  /** How long an envelope stays in the cache. @default `SESSION_CACHE_TTL_SECONDS`, else 900 */
  cacheTtlSeconds?: number
  /** Whether envelopes are stored. If not, each read folds them from the log. @default `SESSION_ENVELOPE_ENABLED`, else true */
  envelopes?: boolean
  /** A registry of prom-client that gets the metrics. @default none is counted */
  metrics?: MetricsRegistry
  /** Gives texts vectors, so that `recall` and `memories.search` go by meaning too. @default by words alone */
  embed?: Embed
  /**
   * Whether logs are read into the index of words, and memories gathered at the end of sessions, in quiet moments. False leaves it to
   * `index()` and to `recall()`, which reads what is missing. @default true
   */
  index?: boolean
}

const withMethod = <T>(method: string) =>
  z.custom<T>((value) => {
    const member = (value as Record<string, unknown> | null | undefined)?.[method]
    return typeof member === 'function'
  }, `must have a method ${method}()`)

/** What is chosen where nothing is given. */
const DEFAULTS = {
  durability: 'full',
  agents: [],
  tokenizer: 'exact',
  clock: { now: () => Date.now() },
  policy: {},
  index: true,
} as const

/** Checks {@link OpenOptions}. */
const openOptions = schema(() => {
  const timeout = z.optional(z.int().check(z.minimum(1)))
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
    clock: z._default(withMethod<Clock>('now'), DEFAULTS.clock),
    policy: z._default(z.strictObject({ idleTimeoutMs: timeout, staleTimeoutMs: timeout }), DEFAULTS.policy),
    classify: z.optional(z.custom<Classify | LanguageModel>()),
    summarize: z.optional(z.custom<Summarize | LanguageModel>()),
    extract: z.optional(z.custom<Extract | LanguageModel>()),
    embed: z.optional(z.custom<Embed>((value) => typeof value === 'function', 'must be a function')),
    index: z._default(z.boolean(), DEFAULTS.index),
    cache: z.optional(z.string()),
    cacheTtlSeconds: z.optional(z.int().check(z.minimum(1))),
    envelopes: z.optional(z.boolean()),
    metrics: z.optional(withMethod<MetricsRegistry>('registerMetric')),
  })
})

const isFlag = (value: unknown) => typeof value === 'boolean'

/** What is plainly right. The schema says what is wrong with the rest, and to make it takes a process that opens a store 8 ms. */
const PLAIN: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['url', (value) => typeof value === 'string' && value !== ''],
  ['durability', (value) => value === 'full' || value === 'relaxed'],
  ['migrate', isFlag],
  ['index', isFlag],
  ['envelopes', isFlag],
])

/** Checks the options, and puts the defaults in place. */
export function checkedOptions(given: OpenOptions): Options {
  // an object of a class may have options that are not its own
  if (given === null || Object.getPrototypeOf(given) !== Object.prototype) return parse(openOptions, given)
  const named = Object.entries(given).filter(([, value]) => value !== undefined)
  if (!named.every(([option, value]) => PLAIN.get(option)?.(value))) return parse(openOptions, given)
  return { ...DEFAULTS, ...Object.fromEntries(named) }
}

/** What is left to choose after {@link checkedOptions} put the defaults in place. */
export type Options = z.output<ReturnType<typeof openOptions>>
