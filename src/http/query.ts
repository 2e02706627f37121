import { z } from 'zod'

/**
 * Converts query values to the types of the schema. Values that do not fit stay text, and the operation refuses them.
 */
export function typedQuery(schema: z.core.$ZodObject | undefined, given: Readonly<Record<string, unknown>>) {
  const shape = schema?._zod.def.shape ?? {}
  // not by assignment: a key may be __proto__
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const field = Object.hasOwn(shape, name) ? shape[name] : undefined
      return [name, field === undefined ? value : typedValue(field, value as string | string[])]
    }),
  )
}

function typedValue(schema: z.core.$ZodType, value: string | string[]): unknown {
  if (schema instanceof z.core.$ZodOptional || schema instanceof z.core.$ZodDefault) {
    return typedValue(schema._zod.def.innerType, value)
  }
  if (schema instanceof z.core.$ZodPipe) return typedValue(schema._zod.def.in, value)
  if (schema instanceof z.core.$ZodArray) {
    return [value].flat().map((item) => typedValue(schema._zod.def.element, item))
  }
  if (Array.isArray(value)) return value
  if (schema instanceof z.core.$ZodRecord) return jsonValue(value)
  if (schema instanceof z.core.$ZodNumber) return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
  // a flag may have no value: ?getOrCreate
  if (schema instanceof z.core.$ZodBoolean)
    return value === '' || value === 'true' ? true : value === 'false' ? false : value
  return value
}

/** An object in a query is JSON text. */
function jsonValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
