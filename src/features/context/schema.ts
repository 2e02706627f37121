import { z } from 'zod'
import { MESSAGE_FORMATS } from '../../domain/formats/formats.ts'
import { LIMITS } from '../../domain/limits.ts'
import { SOURCE_TYPES } from '../../domain/memory/source.ts'
import { RECALL_KINDS } from '../../domain/recall/kind.ts'
import { text, writeOptions } from '../parse.ts'

/** What is recalled where the caller does not say how much. */
const RECALLED = 10

const recallOptions = z.strictObject({
  query: text(LIMITS.query).min(1).optional(),
  limit: z.int().min(1).max(100).default(RECALLED),
  kinds: z.array(z.enum(RECALL_KINDS)).optional(),
  sourceTypes: z.array(z.enum(SOURCE_TYPES)).optional(),
})

export type RecallOptions = z.output<typeof recallOptions>

export const contextOptions = z.strictObject({
  maxTokens: z.int().min(0),
  format: z.enum(MESSAGE_FORMATS).optional(),
  recall: z
    .union([z.boolean(), recallOptions])
    .transform((value) => (value === true ? { limit: RECALLED } : value))
    .default(false),
  record: z.boolean().default(true),
})

export const reduceOptions = z.strictObject({
  maxTokens: z.int().min(1),
  strategy: z.enum(['window', 'truncate', 'summarize']).optional(),
  ...writeOptions.shape,
})
