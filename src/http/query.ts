import { z } from 'zod'

/** Values of a query string as the schema has them. What does not fit stays text, for the operation to refuse by its field. */
export function typedQuery(schema: z.ZodObject | undefined, given: Readonly<Record<string, unknown>>) {
  // not by assignment: a key may be named __proto__
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => {
      const field = schema !== undefined && Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined
      return [name, field === undefined ? value : typedValue(field as z.ZodType, value as string | string[])]
    }),
  )
}

function typedValue(schema: z.ZodType, value: string | string[]): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault) {
    return typedValue(schema.unwrap() as z.ZodType, value)
  }
  if (schema instanceof z.ZodPipe) return typedValue(schema.in as z.ZodType, value)
  if (schema instanceof z.ZodArray) {
    return [value].flat().map((item) => typedValue(schema.element as z.ZodType, item))
  }
  if (Array.isArray(value)) return value
  if (schema instanceof z.ZodNumber) return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
  // a flag may stand alone: ?getOrCreate
  if (schema instanceof z.ZodBoolean) return value === '' || value === 'true' ? true : value === 'false' ? false : value
  return value
}
