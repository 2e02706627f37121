import { z } from 'zod'
import type { IndexOptions } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import { SOURCE_TYPES } from '../../domain/memory/source.ts'
import { RECALL_KINDS } from '../../domain/recall/kind.ts'
import { moment, name, pageSize, text } from '../parse.ts'

export const recallQuery = z.strictObject({
  userId: name,
  query: text(LIMITS.query).min(1),
  limit: pageSize.optional(),
  maxTokens: z.int().min(0).optional(),
  kinds: z.array(z.enum(RECALL_KINDS)).default([...RECALL_KINDS]),
  since: moment.optional(),
  until: moment.optional(),
  sourceTypes: z.array(z.enum(SOURCE_TYPES)).optional(),
  tenant: name.optional(),
})

export const indexOptions = z.strictObject({
  userId: name.optional(),
  tenant: name.optional(),
  onProgress: z
    .custom<NonNullable<IndexOptions['onProgress']>>((value) => typeof value === 'function', 'must be a function')
    .optional(),
})
