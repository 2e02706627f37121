import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { z } from 'zod'

type ClientSchema<T extends z.ZodObject = z.ZodObject> = StandardSchemaWithJSON<z.input<T>, z.output<T>>
type Convert = ClientSchema['~standard']['jsonSchema']['input']

/** The schemas never change, but every HTTP request creates a server of its own. */
const cache = new WeakMap<z.ZodObject, ClientSchema>()

/**
 * The schema of a tool or a prompt as clients get it, without keywords that tell a model nothing: every model pays for
 * each word. Without `$schema` it means 2020-12, the default of the protocol, and older clients accept it too.
 */
export function clientSchema<T extends z.ZodObject>(schema: T): ClientSchema<T> {
  const converted = cache.get(schema) ?? convert(schema)
  cache.set(schema, converted)
  return converted as ClientSchema<T>
}

function convert(schema: z.ZodObject): ClientSchema {
  const standard = schema['~standard'] as ClientSchema['~standard']
  const jsonSchema = { input: lazySchema(schema, 'input'), output: lazySchema(schema, 'output') }
  return { '~standard': { ...standard, jsonSchema } }
}

/** Converts on first use. The schema's own method does not know the parts from zod/mini. */
function lazySchema(schema: z.ZodObject, io: 'input' | 'output'): Convert {
  let converted: ReturnType<Convert> | undefined
  return ({ target }) => {
    converted ??= strip<ReturnType<Convert>>({ ...z.toJSONSchema(schema, { target, io }) })
    return converted
  }
}

function strip<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(strip) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const kept = Object.entries(schema).filter(([name, value]) => !isNoise(name, value, schema))
  return Object.fromEntries(kept.map(([name, value]) => [name, strip(value)])) as T
}

function isNoise(name: string, value: unknown, { format }: { format?: unknown }): boolean {
  switch (name) {
    case '$schema':
      return true
    case 'minimum':
    case 'maximum':
      return Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER
    case 'pattern':
      return typeof value === 'string' && format !== undefined
    case 'additionalProperties':
      // a later version may add properties
      return value === false
    default:
      return false
  }
}
