/** Building blocks of response schemas, for OpenAPI. Only tests check responses with them. */
import { z } from 'zod'

/** A schema for every key of a response: a forgotten key does not compile. */
export type Keys<T> = { readonly [Key in keyof T]-?: z.core.$ZodType }

/** Any JSON. */
export const anyJson = z.unknown().meta({ description: 'Any JSON.' })

/** Any JSON object. */
export const anyObject = z.looseObject({})

export const time = z.iso.datetime().meta({ description: 'ISO 8601, in UTC.' })

export const id = z.guid()

/** A whole list. */
export const listOf = (item: z.ZodType) => z.strictObject({ items: z.array(item) })

/** One page of a list; the last page has no `nextCursor`. */
export const pageOf = (item: z.ZodType) => z.strictObject({ items: z.array(item), nextCursor: z.string().optional() })
