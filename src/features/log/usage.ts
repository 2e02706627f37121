import { ValidationError } from '../../domain/errors.ts'
import { isObject, type Json } from '../../domain/json.ts'
import { costOf, type Prices } from '../../domain/price.ts'
import { carriesUsage, type Usage } from '../../domain/usage.ts'
import { parse } from '../kernel/parse.ts'
import { usageInput } from './schema.ts'

/** An event with usage. */
export interface WithUsage {
  readonly usage: Usage
  /** The parts to store. */
  readonly parts: Json
  /** The parts as given, if the cost was added: a repeat under other prices has the same content. */
  readonly unpriced?: Json
}

/** An event as given. */
interface Given {
  readonly type: string
  readonly parts?: Json | undefined
  readonly usage?: Usage | undefined
}

/** The usage of an event, checked and priced; `undefined` if it carries none. `field` names its members in errors. */
export function withUsage(
  event: Given,
  prices: Prices | undefined,
  field: (name: string) => string,
): WithUsage | undefined {
  const usage = event.usage === undefined ? usageInParts(event, field) : givenUsage(event, event.usage, field)
  if (usage === undefined) return undefined
  const parts = event.usage === undefined ? (event.parts as Json) : merged(event.parts, usage)
  const costUsd = usage.costUsd ?? (prices && costOf(usage, prices))
  if (costUsd === usage.costUsd || costUsd === undefined) return { usage, parts }
  const priced = { ...usage, costUsd }
  return { usage: priced, parts: merged(parts, priced), unpriced: parts }
}

function merged(parts: Json | undefined, usage: Usage): Json {
  return { ...(parts as object), usage: usage as unknown as Json }
}

function usageInParts({ type, parts }: Given, field: (name: string) => string): Usage | undefined {
  if (!isObject(parts) || parts['usage'] === undefined || !carriesUsage(type)) return undefined
  return parse(usageInput, parts['usage'], field('parts.usage'))
}

function givenUsage({ type, parts }: Given, usage: Usage, field: (name: string) => string): Usage {
  if (!carriesUsage(type)) {
    throw new ValidationError(field('usage'), `is for model_message and tool_call, not for ${type}`)
  }
  if (parts === undefined) return usage
  if (!isObject(parts)) throw new ValidationError(field('parts'), 'must be an object in an event with usage')
  if ('usage' in parts) throw new ValidationError(field('parts.usage'), 'must be absent: usage is already given')
  return usage
}
