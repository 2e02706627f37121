import { type SessionEvent, startsTurn } from './event.ts'
import { isObject, type Json } from './json.ts'
import { LIMITS } from './limits.ts'

/** The tokens and the cost of one model call. */
export interface Usage {
  /** Name of the model, as the provider reports it. */
  model: string
  /** All input tokens, those read from and written to the provider's cache included. */
  inputTokens: number
  outputTokens: number
  /** The part of `inputTokens` that the provider read from its cache. */
  cacheReadTokens?: number
  /** The part of `inputTokens` that the provider wrote to its cache. */
  cacheWriteTokens?: number
  /** Cost in US dollars. Sums are exact to a billionth of a dollar. */
  costUsd?: number
}

/** Sums of the usage of several model calls. */
export interface UsageSums {
  /** Number of model calls: events with usage. One without input tokens belongs to the call before it. */
  messages: number
  inputTokens: number
  outputTokens: number
  cacheReadTokens: number
  cacheWriteTokens: number
  /** Only of the calls whose cost is known. */
  costUsd: number
}

/** The usage of a session. */
export interface SessionUsage {
  total: UsageSums
  /** Since the last user message. */
  turn: UsageSums
}

/** Sums of one model. */
export interface ModelUsage extends UsageSums {
  model: string
}

/** Sums of one model on one day (UTC): a row of the reports. */
export interface DailyUsage extends ModelUsage {
  /** Such as `2026-01-31`. */
  day: string
}

/** What one append adds to the usage of its session. */
export interface UsageIncrement {
  readonly models: readonly ModelUsage[]
  /** Since the last user message of the append; all of it if there is none. */
  readonly turn: UsageSums
}

export const NO_USAGE: UsageSums = Object.freeze({
  messages: 0,
  inputTokens: 0,
  outputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteTokens: 0,
  costUsd: 0,
})

const USAGE_TYPES: ReadonlySet<string> = new Set(['model_message', 'tool_call'])

/** Types of the events that `record.usage` depends on. */
export const USAGE_FOLDED_TYPES = ['user_message', 'model_message', 'tool_call'] as const

/** Whether events of this type may carry usage. */
export function carriesUsage(type: string): boolean {
  return USAGE_TYPES.has(type)
}

/** Returns the usage that an event carries in `parts.usage`; `undefined` if there is none, or it is not valid. */
export function usageOf({ type, parts }: { type: string; parts?: Json }): Usage | undefined {
  if (!carriesUsage(type) || !isObject(parts) || parts['usage'] === undefined) return undefined
  return usageProblem(parts['usage']) === undefined ? (parts['usage'] as unknown as Usage) : undefined
}

/** The first thing wrong with a value as {@link Usage}: the field, empty for the value itself, and the message. */
export function usageProblem(value: unknown): readonly [field: string, message: string] | undefined {
  if (!isObject(value as Json)) return ['', 'must be an object with model, inputTokens and outputTokens']
  const usage = value as Record<string, unknown>
  for (const field of Object.keys(usage)) {
    if (usage[field] !== undefined && !Object.hasOwn(CHECKS, field)) {
      return [field.slice(0, 64), 'is not a known field']
    }
  }
  for (const [field, check] of Object.entries(CHECKS)) {
    const problem = check(usage[field])
    if (problem !== undefined) return [field, problem]
  }
  const { inputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage as unknown as Usage
  if (cacheReadTokens + cacheWriteTokens <= inputTokens) return undefined
  return ['inputTokens', `must include cached tokens: at least ${cacheReadTokens + cacheWriteTokens}`]
}

const CHECKS: { readonly [field in keyof Usage]-?: (value: unknown) => string | undefined } = {
  model(value) {
    const isModel = typeof value === 'string' && value !== '' && value.length <= LIMITS.model
    if (!isModel) return `must be the name of the model, at most ${LIMITS.model} characters`
    return value.isWellFormed() && !value.includes('\0')
      ? undefined
      : 'must be well-formed Unicode without NUL (U+0000)'
  },
  inputTokens: checkTokens,
  outputTokens: checkTokens,
  cacheReadTokens: (value) => (value === undefined ? undefined : checkTokens(value)),
  cacheWriteTokens: (value) => (value === undefined ? undefined : checkTokens(value)),
  costUsd(value) {
    const isCost = value === undefined || (typeof value === 'number' && value >= 0 && value <= LIMITS.cost)
    return isCost ? undefined : `must be a number of US dollars from 0 to ${LIMITS.cost}`
  },
}

function checkTokens(value: unknown): string | undefined {
  const isCount = Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LIMITS.tokens
  return isCount ? undefined : `must be a whole number of tokens from 0 to ${LIMITS.tokens}`
}

/** The usage of a session after an event; the same object if the event changes nothing. */
export function usageAfter(
  usage: SessionUsage | undefined,
  event: { type: string; parts?: Json },
): SessionUsage | undefined {
  if (startsTurn(event)) return usage && { ...usage, turn: NO_USAGE }
  const own = usageOf(event)
  return own === undefined ? usage : addIncrement(usage, incrementOf([{ type: event.type, usage: own }]))
}

/** Adds what an append carried. A turn that it started must have been set to zero before. */
export function addIncrement(usage: SessionUsage | undefined, increment: UsageIncrement): SessionUsage {
  const { total, turn } = usage ?? { total: NO_USAGE, turn: NO_USAGE }
  return { total: increment.models.reduce(addSums, total), turn: addSums(turn, increment.turn) }
}

/** What events add, in their order. */
export function incrementOf(events: readonly { type: string; usage?: Usage | undefined }[]): UsageIncrement {
  const models = new Map<string, ModelUsage>()
  let turn = NO_USAGE
  for (const { type, usage } of events) {
    if (startsTurn({ type })) turn = NO_USAGE
    if (usage === undefined) continue
    const own = sumsOf(usage)
    const { model } = usage
    models.set(model, { model, ...addSums(models.get(model) ?? NO_USAGE, own) })
    turn = addSums(turn, own)
  }
  return { models: [...models.values()], turn }
}

/** The usage of one message that two model calls wrote, under the name of the first model. */
export function joinUsage(one: Usage, other: Usage): Usage {
  const { inputTokens, outputTokens, ...rest } = addSums(sumsOf(one), sumsOf(other))
  const joined: Usage = { model: one.model, inputTokens, outputTokens }
  for (const field of ['cacheReadTokens', 'cacheWriteTokens', 'costUsd'] as const) {
    if (one[field] !== undefined || other[field] !== undefined) joined[field] = rest[field]
  }
  return joined
}

/** The sums of one usage. */
export function sumsOf({ inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0, costUsd = 0 }: Usage) {
  // transcripts spread one call over several events; only the first has its input
  const messages = inputTokens > 0 ? 1 : 0
  return { messages, inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, costUsd }
}

/** Adds sums. Costs are added as whole numbers, so the order makes no difference. */
export function addSums(a: UsageSums, b: UsageSums): UsageSums {
  return {
    messages: a.messages + b.messages,
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    costUsd: fromNano(toNano(a.costUsd) + toNano(b.costUsd)),
  }
}

/** US dollars as billionths. Exact both ways up to two million dollars. */
export function toNano(usd: number): number {
  return Math.round(usd * 1e9)
}

/** Reverses {@link toNano}. */
export function fromNano(nano: number): number {
  return nano / 1e9
}

/** What several events of a log do to the rows of its session. */
export interface UsageChange {
  /** Whether the earlier rows go: a fork began, and they belong to its source. */
  readonly cleared: boolean
  readonly rows: readonly DailyUsage[]
}

/** The rows of a session. */
export class UsageRows {
  #cleared = false
  readonly #rows = new Map<string, DailyUsage>()

  /** Folds the next event. */
  add(event: Pick<SessionEvent, 'type' | 'createdAt'> & { parts?: Json }): void {
    if (event.type === 'session_forked') this.clear()
    const usage = usageOf(event)
    if (usage !== undefined) this.put(event.createdAt, { model: usage.model, ...sumsOf(usage) })
  }

  /** Adds sums of the day of a time. */
  put(at: string, sums: ModelUsage): void {
    const day = dayOf(at)
    const { model } = sums
    const key = rowKey({ day, model })
    this.#rows.set(key, { day, model, ...addSums(this.#rows.get(key) ?? NO_USAGE, sums) })
  }

  clear(): void {
    this.#rows.clear()
    this.#cleared = true
  }

  get rows(): DailyUsage[] {
    return [...this.#rows.values()]
  }

  /** What the events so far do to the rows of a session that has earlier ones. */
  get change(): UsageChange {
    return { cleared: this.#cleared, rows: this.rows }
  }
}

/** The day of a time in UTC. */
export function dayOf(time: string): string {
  return time.slice(0, 10)
}

/** Identifies a row within its session. Days have equal length, so texts sort as rows do. */
export function rowKey({ day, model }: Pick<DailyUsage, 'day' | 'model'>): string {
  return `${day} ${model}`
}
