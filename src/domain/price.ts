import { LIMITS } from './limits.ts'
import { fromNano, toNano, type Usage } from './usage.ts'

/** US dollars per million tokens of one model. */
export interface ModelPrice {
  input: number
  output: number
  /** Of input tokens read from the provider's cache. @default `input` */
  cacheRead?: number
  /** Of input tokens written to the provider's cache. @default `input` */
  cacheWrite?: number
}

/** Prices by model. A name without a date also prices the dated names of that model, such as `gpt-5-2026-01-31`. */
export type Prices = Readonly<Record<string, ModelPrice>>

/** What providers add to the name of a model to name one release of it. */
const RELEASE = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest)$/

/**
 * Returns the cost of a model call in US dollars, to a billionth; `undefined` if the prices do not name the model, or
 * the cost exceeds `LIMITS.cost`. The exact name counts first, then the name without its date.
 */
export function costOf(usage: Usage, prices: Prices): number | undefined {
  const price = priceOf(usage.model, prices)
  if (price === undefined) return undefined
  const { inputTokens, outputTokens, cacheReadTokens = 0, cacheWriteTokens = 0 } = usage
  const { input, output, cacheRead = input, cacheWrite = input } = price
  const fresh = inputTokens - cacheReadTokens - cacheWriteTokens
  const dollars = fresh * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output
  const cost = fromNano(toNano(dollars / 1e6))
  return cost > LIMITS.cost ? undefined : cost
}

function priceOf(model: string, prices: Prices): ModelPrice | undefined {
  // a longer prefix would take gpt-5-mini for gpt-5
  const name = [model, model.replace(RELEASE, '')].find((each) => Object.hasOwn(prices, each))
  return name === undefined ? undefined : prices[name]
}
