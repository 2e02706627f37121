import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { tokenCount, type UsageParts, validUsage } from '../usage.ts'

/** Reads the usage of each response once. */
export class TokenCounts {
  #model = ''
  #total = ''

  set model(name: string) {
    if (name !== '') this.#model = name
  }

  /** Returns the usage since the last count; `undefined` for a count that only repeats it, with new rate limits. */
  next({ info }: JsonObject): UsageParts | undefined {
    const { last_token_usage: last, total_token_usage: total } = isObject(info) ? info : {}
    if (!isObject(last)) return undefined
    const all = JSON.stringify(total ?? null)
    if (all === this.#total && total !== undefined) return undefined
    this.#total = all
    return validUsage({ model: this.#model || 'unknown', ...numbersOf(last) })
  }
}

/** `cached_input_tokens` are part of the input tokens, reasoning is part of the output tokens. */
function numbersOf(usage: { readonly [key: string]: Json }) {
  const input = tokenCount(usage['input_tokens'])
  const read = Math.min(input, tokenCount(usage['cached_input_tokens']))
  const write = Math.min(input - read, tokenCount(usage['cache_write_input_tokens']))
  return { input, output: tokenCount(usage['output_tokens']), read, write }
}
