import { z } from 'zod'
import { LIMITS } from '../../src/domain/limits.ts'
import type { Route } from '../../src/http/route.ts'
import { ALL_ROUTES } from '../http/raw-requests.ts'
import { SAMPLES } from '../http/samples.ts'
import { distinctKeys, nested } from './large-input.ts'
import { ODD_UNITS, randomNumbers, randomWords, run } from './texts.ts'

/** A body that its schema accepts, as large as the schema allows. */
export interface GeneratedInput {
  readonly route: Route
  readonly name: string
  readonly body: unknown
}

/** A JSON Schema, as far as the bodies of our routes need it. */
interface Schema {
  type?: string
  $ref?: string
  $defs?: Record<string, Schema>
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  oneOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
  items?: Schema
  format?: string
  pattern?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  maxItems?: number
}

/** Bytes of all long texts of one body, roughly. */
const TEXT = LIMITS.content
const SCRIPTS = Object.entries(ODD_UNITS)
const SHAPES = {
  deepest: () => ({ deep: nested(LIMITS.depth - 6) }),
  widest: () => distinctKeys(5000),
  longest: () => ({ list: Array.from({ length: LIMITS.members / 4 }, (_, i) => i) }),
}

/** Another environment, another database or another user: such fields keep the values of the sample. */
const KEPT = ['id', 'tenant', 'userId', 'sessionId', 'supersededBy', 'from', 'batch', 'agent', 'to']

/** Bodies for all routes that take one, in turns; the same for the same numbers. */
export function generatedInputs(count: number): GeneratedInput[] {
  const routes = ALL_ROUTES.filter(({ body, operation }) => body !== undefined && operation !== 'backfillEnvelopes')
  return Array.from({ length: count }, (_, i) => {
    const route = routes[i % routes.length] as Route
    return { route, ...generated(route, i) }
  })
}

function generated(route: Route, seed: number): Pick<GeneratedInput, 'name' | 'body'> {
  const next = randomNumbers(seed * 7919 + 1)
  const [script, unit] = SCRIPTS[next(SCRIPTS.length)] as (typeof SCRIPTS)[number]
  const shape = (['deepest', 'widest', 'longest'] as const)[seed % 3] as keyof typeof SHAPES
  const schema = z.toJSONSchema(route.body as z.core.$ZodType, { unrepresentable: 'any', io: 'input' }) as Schema
  const writer = new BodyWriter(schema.$defs ?? {}, unit, shape, next)
  return { name: `${script}, ${shape}`, body: writer.value(schema, SAMPLES[route.operation]?.body) }
}

/** Fills a schema: texts in one script, JSON in one shape, lists with as many items as fit. */
class BodyWriter {
  readonly #definitions: Record<string, Schema>
  readonly #unit: string
  readonly #shape: keyof typeof SHAPES
  readonly #next: (below: number) => number
  #left = TEXT

  constructor(
    definitions: Record<string, Schema>,
    unit: string,
    shape: keyof typeof SHAPES,
    next: (below: number) => number,
  ) {
    this.#definitions = definitions
    this.#unit = unit
    this.#shape = shape
    this.#next = next
  }

  /** @param sample a valid value, kept where the schema does not say what is valid */
  value(schema: Schema, sample: unknown): unknown {
    const { $ref, anyOf, oneOf, type, const: only } = schema
    if (only !== undefined) return only
    if (schema.enum !== undefined) return sample ?? schema.enum[this.#next(schema.enum.length)]
    if ($ref !== undefined) return this.value(this.#definitions[$ref.split('/').at(-1) ?? ''] ?? {}, sample)
    const choices = anyOf ?? oneOf
    if (choices !== undefined) return this.value(choices[this.#next(choices.length)] ?? {}, sample)
    if (type === 'string') return this.#text(schema, sample)
    if (type === 'array') return this.#list(schema, sample)
    if (type === 'object') return this.#object(schema, sample)
    if (type === 'integer' || type === 'number') return sample ?? Math.min(schema.maximum ?? 100, 1_000_000)
    if (type === 'boolean') return sample ?? this.#next(2) === 0
    return type === undefined ? SHAPES[this.#shape]() : null
  }

  #text({ maxLength, format, pattern }: Schema, sample: unknown): unknown {
    if (maxLength === undefined || format !== undefined || pattern !== undefined) return sample
    const length = Math.min(maxLength, Math.floor(this.#left / 4))
    this.#left -= length
    return length < 8 ? randomWords(Math.max(length, 1)) : run(this.#unit, length)
  }

  #list({ items = {}, maxItems = LIMITS.events }: Schema, sample: unknown): unknown[] {
    const first = Array.isArray(sample) ? sample[0] : sample
    const list: unknown[] = []
    const before = this.#left
    while (list.length < maxItems && (list.length === 0 || this.#left > TEXT / 8)) {
      const item = this.value(items, first)
      if (item === undefined) break
      list.push(item)
      // without texts, as many as are allowed
      if (this.#left === before && typeof item === 'object' && list.length >= 100) break
    }
    return list
  }

  #object({ properties, required = [] }: Schema, sample: unknown): unknown {
    if (properties === undefined) return SHAPES[this.#shape]()
    const known = (typeof sample === 'object' ? sample : {}) as Record<string, unknown>
    const entries = Object.entries(properties).map(([name, schema]) => [
      name,
      KEPT.includes(name) && !(required.includes(name) && known[name] === undefined)
        ? known[name]
        : this.value(schema, known[name]),
    ])
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
  }
}
