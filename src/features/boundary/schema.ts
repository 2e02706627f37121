import { z } from 'zod/mini'
import { LIMITS } from '../../domain/limits.ts'
import { name, text, writeOptions } from '../parse.ts'

const said = text(LIMITS.content).check(z.refine((value) => value.trim() !== '', 'must not be empty'))

export const askInput = z.strictObject({ question: said, ...writeOptions.shape })
export const textInput = z.strictObject({ text: said, ...writeOptions.shape })
export const incorporateInput = z.strictObject({ note: z.optional(said), ...writeOptions.shape })
export const proposeInput = z.strictObject({ summary: said, ...writeOptions.shape })
export const continueInput = z.strictObject({ request: said, ...writeOptions.shape })
export const abortInput = z.strictObject({ reason: said, ...writeOptions.shape })

export const conversation = z.strictObject({
  conversationId: name,
  userId: name,
  chatmode: z._default(name, 'default'),
  tenant: z.optional(name),
})

export const incoming = z.strictObject({ ...conversation.shape, message: said })

export const resumption = z.strictObject({ ...conversation.shape, accept: z._default(z.boolean(), false) })
