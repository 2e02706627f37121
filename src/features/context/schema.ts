import { z } from 'zod'
import { MESSAGE_FORMATS } from '../../domain/formats/formats.ts'
import { writeOptions } from '../parse.ts'

export const contextOptions = z.strictObject({
  maxTokens: z.int().min(0),
  format: z.enum(MESSAGE_FORMATS).optional(),
})

export const reduceOptions = z.strictObject({
  maxTokens: z.int().min(1),
  strategy: z.enum(['window', 'truncate', 'summarize']).optional(),
  ...writeOptions.shape,
})
