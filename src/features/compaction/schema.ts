import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { name, pageSize, text, writeOptions } from '../parse.ts'

export const compactInput = z.strictObject({
  summary: text(LIMITS.content)
    .refine((value) => value.trim() !== '', 'must not be empty')
    .optional(),
  ...writeOptions.shape,
})

export const commitsQuery = z.strictObject({
  conversationId: name,
  userId: name.optional(),
  tenant: name.optional(),
  cursor: z
    .string()
    .regex(/^\d{1,9}$/, 'must be the nextCursor of an earlier page')
    .transform(Number)
    .optional(),
  limit: pageSize.optional(),
})
