import { ValidationError } from '../../domain/errors.ts'
import { isObject, type Json, type JsonObject } from '../../domain/json.ts'

/** Schemas within one schema, after references were replaced. */
const MAX_SCHEMAS = 256
/** Values in all `enum` lists of a schema. */
const MAX_CHOICES = 1000

const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] as const
type Type = (typeof TYPES)[number]

/** Say nothing about which values are valid. */
const ANNOTATIONS = [
  '$schema',
  '$id',
  '$comment',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
]

/** Formats that are checked. Others are annotations, as the standard has it. */
const FORMATS = ['date-time', 'date', 'time', 'duration', 'email', 'uri', 'uuid', 'hostname', 'ipv4', 'ipv6']

const NUMBER_KEYWORDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']

/** Keywords that limit values of one type. */
const TYPE_KEYWORDS: Readonly<Record<Type, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'format'],
  number: NUMBER_KEYWORDS,
  integer: NUMBER_KEYWORDS,
  boolean: [],
  null: [],
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
}

const TYPED = Object.values(TYPE_KEYWORDS).flat()
const COMBINATIONS = ['anyOf', 'oneOf', 'allOf']
const OTHERS = ['type', 'enum', 'const', '$ref', ...COMBINATIONS]
const ROOT_ONLY = ['$defs', 'definitions']

/** Numbers of what makes checks expensive. */
export interface SchemaCost {
  schemas: number
  /** Values in all `enum` lists. */
  choices: number
  formats: number
  /** Schemas that hold together. */
  merges: number
}

/** A schema in the form that is checked: only keywords that are, references replaced, one type at each place. */
export interface CheckedSchema {
  readonly schema: JsonObject | boolean
  /** What its checks may cost: see `stepsOf`. */
  readonly cost: SchemaCost
}

/**
 * Takes a caller's JSON Schema, or throws `ValidationError` for the first part that cannot be checked. The schema is
 * not trusted: a keyword that would be ignored is refused, and so are patterns, which may take exponential time.
 */
export function checkSchema(root: JsonObject): CheckedSchema {
  const cost: SchemaCost = { schemas: 0, choices: 0, formats: 0, merges: 0 }
  const { $defs, definitions } = root

  function any(schema: Json | undefined, at: string, refs: readonly string[] = []): JsonObject | boolean {
    if (++cost.schemas > MAX_SCHEMAS) throw refusal('schema', `must have at most ${MAX_SCHEMAS} schemas in it`)
    if (typeof schema === 'boolean') return schema
    if (!isObject(schema)) throw refusal(at, 'must be a JSON Schema')
    checkKeywords(schema, at)
    const parts = [
      ...typedParts(schema, at, refs),
      ...COMBINATIONS.filter((name) => name in schema).map((name) => combined(schema, name, at, refs)),
      ...('$ref' in schema ? [referenced(schema['$ref'], `${at}.$ref`, refs)] : []),
    ]
    cost.merges += Math.max(parts.length - 1, 0)
    return parts.length <= 1 ? (parts[0] ?? true) : { allOf: parts }
  }

  function typedParts(schema: JsonObject, at: string, refs: readonly string[]): (JsonObject | boolean)[] {
    const types = typesOf(schema, at)
    const values = valuesOf(schema, at)
    if (values !== undefined) {
      cost.choices += values.length
      if (cost.choices > MAX_CHOICES) throw refusal('schema', `must have at most ${MAX_CHOICES} enum values`)
    }
    const used = TYPED.filter((name) => name in schema)
    for (const name of used) {
      const fits = types?.some((type) => TYPE_KEYWORDS[type].includes(name)) ?? false
      if (!fits) throw refusal(`${at}.${name}`, 'needs a type of the same schema that it belongs to')
    }
    if (values !== undefined) {
      const fitting = values.filter((value) => types?.some((type) => isOf(value, type)) ?? true)
      if (fitting.length === 0) throw refusal(`${at}.type`, 'must be that of a value of the enum')
      if (used.length > 0) throw refusal(`${at}.${used[0]}`, 'cannot be combined with enum or const')
      return [{ enum: fitting }]
    }
    if (types === undefined) return []
    const typed = types.map((type) => ({ type, ...limitsOf(schema, type, at, refs) }))
    return [typed.length === 1 ? (typed[0] as JsonObject) : { anyOf: typed }]
  }

  function limitsOf(schema: JsonObject, type: Type, at: string, refs: readonly string[]): JsonObject {
    if (type === 'array') return arrayLimits(schema, at, refs)
    if (type === 'object') return objectLimits(schema, at, refs)
    const limits: Record<string, Json> = {}
    for (const name of TYPE_KEYWORDS[type]) {
      const value = schema[name]
      if (value === undefined) continue
      if (name === 'format') {
        if (typeof value !== 'string') throw refusal(`${at}.format`, 'must be a text')
        if (!FORMATS.includes(value)) continue
        limits[name] = value
        cost.formats++
      } else {
        limits[name] = type === 'string' ? count(value, `${at}.${name}`) : number(value, `${at}.${name}`)
      }
    }
    return limits
  }

  function arrayLimits(schema: JsonObject, at: string, refs: readonly string[]): JsonObject {
    const { minItems, maxItems, uniqueItems } = schema
    if (uniqueItems !== undefined && typeof uniqueItems !== 'boolean') {
      throw refusal(`${at}.uniqueItems`, 'must be true or false')
    }
    return {
      items: 'items' in schema ? any(schema['items'], `${at}.items`, refs) : true,
      ...(minItems !== undefined && { minItems: count(minItems, `${at}.minItems`) }),
      ...(maxItems !== undefined && { maxItems: count(maxItems, `${at}.maxItems`) }),
      ...(uniqueItems === true && { uniqueItems }),
    }
  }

  function objectLimits(schema: JsonObject, at: string, refs: readonly string[]): JsonObject {
    const { properties = {}, required = [], additionalProperties, minProperties, maxProperties } = schema
    if (!isObject(properties)) throw refusal(`${at}.properties`, 'must be an object')
    if (!Array.isArray(required) || required.some((key) => typeof key !== 'string')) {
      throw refusal(`${at}.required`, 'must be a list of names')
    }
    const checked: Record<string, JsonObject | boolean> = {}
    for (const [key, property] of Object.entries(properties)) {
      checkName(key, `${at}.properties`)
      checked[key] = any(property, `${at}.properties.${key}`, refs)
    }
    for (const key of required as string[]) {
      checkName(key, `${at}.required`)
      const others = additionalProperties ?? true
      checked[key] ??= any(others, `${at}.additionalProperties`, refs)
    }
    return {
      properties: checked,
      required,
      ...(additionalProperties !== undefined && {
        additionalProperties: any(additionalProperties, `${at}.additionalProperties`, refs),
      }),
      ...(minProperties !== undefined && { minProperties: count(minProperties, `${at}.minProperties`) }),
      ...(maxProperties !== undefined && { maxProperties: count(maxProperties, `${at}.maxProperties`) }),
    }
  }

  function combined(schema: JsonObject, name: string, at: string, refs: readonly string[]): JsonObject {
    const list = schema[name]
    if (!Array.isArray(list) || list.length === 0) throw refusal(`${at}.${name}`, 'must be a list of schemas')
    if (name === 'allOf') cost.merges += list.length - 1
    return { [name]: list.map((one, i) => any(one, `${at}.${name}[${i}]`, refs)) }
  }

  function referenced(ref: Json | undefined, at: string, refs: readonly string[]): JsonObject | boolean {
    const [, from, key] = (typeof ref === 'string' && /^#\/(\$defs|definitions)\/([^/]+)$/.exec(ref)) || []
    const group = from === '$defs' ? $defs : definitions
    const name = key?.replaceAll('~1', '/').replaceAll('~0', '~') ?? ''
    if (from === undefined || !isObject(group) || !Object.hasOwn(group, name)) {
      throw refusal(at, "must name a schema in '$defs' of the same document")
    }
    const target = `${from}/${name}`
    if (refs.includes(target)) throw refusal(at, 'must not lead back to itself')
    return any(group[name], `schema.${from}.${name}`, [...refs, target])
  }

  const schema = any(root, 'schema')
  return { schema, cost }
}

function checkKeywords(schema: JsonObject, at: string): void {
  for (const name of Object.keys(schema)) {
    const isKnown = [ANNOTATIONS, OTHERS, TYPED, at === 'schema' ? ROOT_ONLY : []].some((list) => list.includes(name))
    if (!isKnown && !name.startsWith('x-')) {
      throw refusal(`${at}.${name.slice(0, 64)}`, 'is not supported in the schema of a request')
    }
  }
}

function typesOf({ type }: JsonObject, at: string): Type[] | undefined {
  if (type === undefined) return undefined
  const types = Array.isArray(type) ? type : [type]
  if (types.length === 0 || !types.every((one) => (TYPES as readonly Json[]).includes(one))) {
    throw refusal(`${at}.type`, `must be one of ${TYPES.join(', ')}, or a list of them`)
  }
  return [...new Set(types as Type[])]
}

/** Values of `enum` and `const`: texts, numbers, true, false and null. */
function valuesOf(schema: JsonObject, at: string): Json[] | undefined {
  const name = 'const' in schema ? 'const' : 'enum'
  if (!(name in schema)) return undefined
  const list = name === 'const' ? [schema['const'] as Json] : schema['enum']
  if (!Array.isArray(list) || list.length === 0 || list.some((value) => typeof value === 'object' && value !== null)) {
    throw refusal(`${at}.${name}`, 'must have texts, numbers, true, false or null')
  }
  if (name === 'const' && 'enum' in schema) throw refusal(`${at}.enum`, 'cannot be combined with const')
  return [...new Set(list as Json[])]
}

function isOf(value: Json, type: Type): boolean {
  if (type === 'null' || value === null) return type === 'null' && value === null
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

function number(value: Json, at: string): number {
  if (typeof value !== 'number') throw refusal(at, 'must be a number')
  if (value <= 0 && at.endsWith('.multipleOf')) throw refusal(at, 'must be more than 0')
  return value
}

function count(value: Json, at: string): number {
  if (!Number.isSafeInteger(value) || (value as number) < 0) throw refusal(at, 'must be a whole number')
  return value as number
}

/** Names that every object inherits would seem to be there. */
function checkName(key: string, at: string): void {
  if (!(key in Object.prototype)) return
  throw refusal(at, `must not have the name '${key}'`)
}

/** Names in the path are the caller's and may be long. */
function refusal(at: string, problem: string): ValidationError {
  return new ValidationError(at.length > 256 ? `${at.slice(0, 256)}…` : at, problem)
}
