import { z } from 'zod'
import { ValidationError } from '../../domain/errors.ts'
import type { Json, JsonObject } from '../../domain/json.ts'
import { fieldName } from '../kernel/parse.ts'
import { checkSchema, type SchemaCost } from './value-schema.ts'

/** Steps of one check: this many take about 0.2 s. */
const MAX_STEPS = 40_000
/** Characters of what is wrong; a list of all allowed values may be long. */
const MAX_PROBLEM = 300

/** Throws `ValidationError` with the path of the first part of the value that does not fit the caller's schema. */
export function checkValue(given: JsonObject, value: Json): void {
  const { schema, cost } = checkSchema(given)
  if (stepsOf(cost, value) > MAX_STEPS) {
    throw new ValidationError('value', 'is too large to be checked with this schema: use a smaller one, or no schema')
  }
  // without `jitless`, zod compiles schemas of objects to code
  const { error } = converted(schema).safeParse(value, { jitless: true })
  const issue = error?.issues[0]
  if (issue === undefined) return
  const isUnknownKey = issue.code === 'unrecognized_keys'
  const path = isUnknownKey ? [...issue.path, (issue.keys[0] ?? '').slice(0, 64)] : issue.path
  throw new ValidationError(
    fieldName('value', path).slice(0, MAX_PROBLEM),
    isUnknownKey ? 'is not a field of the schema' : issue.message.slice(0, MAX_PROBLEM),
  )
}

/** Throws `ValidationError` unless values can be checked with the schema. */
export function requireCheckable(given: JsonObject): void {
  converted(checkSchema(given).schema)
}

function converted(schema: JsonObject | boolean): z.ZodType {
  try {
    // its own registry: the global one would keep every schema that names an id
    return z.fromJSONSchema(schema as never, { registry: z.registry() })
  } catch (cause) {
    throw new ValidationError('schema', 'is not a schema that can be checked', { cause })
  }
}

/**
 * Upper bound of the steps that a check takes, of about 5 µs each. The weights are measured: failing all branches of
 * `anyOf` is slow, a long list of choices makes a long message, and merging compares each two members.
 */
function stepsOf({ schemas, choices, formats, merges }: SchemaCost, value: Json): number {
  const { members, characters } = sizeOf(value)
  return members * (schemas + choices / 16) + (formats * characters) / 200 + (merges * members ** 2) / 2000
}

interface Size {
  /** Values at all levels. */
  members: number
  /** Characters of all texts. */
  characters: number
}

function sizeOf(value: Json, size: Size = { members: 0, characters: 0 }): Size {
  size.members++
  if (typeof value === 'string') size.characters += value.length
  if (typeof value === 'object' && value !== null) for (const item of Object.values(value)) sizeOf(item, size)
  return size
}
