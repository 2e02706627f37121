import { z } from 'zod/mini'
import { MESSAGE_FORMATS } from '../../domain/formats/formats.ts'
import { LIMITS } from '../../domain/limits.ts'
import { SOURCE_TYPES } from '../../domain/memory/source-type.ts'
import { RECALL_KINDS } from '../../domain/recall/recall-kind.ts'
import { schema, text, writeOptions } from '../kernel/parse.ts'

/** The default limits of what is recalled. */
const RECALLED = 10

const recallOptions = schema(() =>
  z.strictObject({
    query: z.optional(text(LIMITS.query).check(z.minLength(1))),
    limit: z._default(z.int().check(z.minimum(1), z.maximum(100)), RECALLED),
    kinds: z.optional(z.array(z.enum(RECALL_KINDS))),
    sourceTypes: z.optional(z.array(z.enum(SOURCE_TYPES))),
  }),
)

export type RecallOptions = z.output<ReturnType<typeof recallOptions>>

export const contextOptions = schema(() =>
  z.strictObject({
    maxTokens: z.int().check(z.minimum(0)),
    format: z.optional(z.enum(MESSAGE_FORMATS)),
    recall: z._default(
      z.pipe(
        z.union([z.boolean(), recallOptions()]),
        z.transform((value) => (value === true ? { limit: RECALLED } : value)),
      ),
      false,
    ),
    children: z._default(z.boolean(), false),
    record: z._default(z.boolean(), true),
  }),
)

export const reduceOptions = schema(() =>
  z.strictObject({
    maxTokens: z.int().check(z.minimum(1)),
    strategy: z.optional(z.enum(['window', 'truncate', 'summarize'])),
    ...writeOptions().shape,
  }),
)
