import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { z } from 'zod'

type ClientSchema<T extends z.ZodObject = z.ZodObject> = StandardSchemaWithJSON<z.input<T>, z.output<T>>
type Convert = ClientSchema['~standard']['jsonSchema']['input']

/** Tools are the same all the time, and every request over HTTP has a server of its own. */
const cache = new WeakMap<z.ZodObject, ClientSchema>()

/**
 * The schema of a tool or a prompt as clients get it, without what says nothing to a model: every model pays for each word of it. Without `$schema` it is
 * of 2020-12, as the protocol has it, and older clients take it too.
 */
export function clientSchema<T extends z.ZodObject>(schema: T): ClientSchema<T> {
  const known = cache.get(schema) ?? convert(schema)
  cache.set(schema, known)
  return known as ClientSchema<T>
}

function convert(schema: z.ZodObject): ClientSchema {
  const standard = schema['~standard'] as ClientSchema['~standard']
  return { '~standard': { ...standard, jsonSchema: { input: once(schema, 'input'), output: once(schema, 'output') } } }
}

/** Not by the schema's own method: it knows nothing of the parts that are of zod/mini. */
function once(schema: z.ZodObject, io: 'input' | 'output'): Convert {
  let done: ReturnType<Convert> | undefined
  return ({ target }) => {
    done ??= strip<ReturnType<Convert>>({ ...z.toJSONSchema(schema, { target, io }) })
    return done
  }
}

function strip<T>(schema: T): T {
  if (Array.isArray(schema)) return schema.map(strip) as T
  if (typeof schema !== 'object' || schema === null) return schema
  const told = Object.entries(schema).filter(([name, value]) => !isNoise(name, value, schema))
  return Object.fromEntries(told.map(([name, value]) => [name, strip(value)])) as T
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
      // a later version may say more
      return value === false
    default:
      return false
  }
}
