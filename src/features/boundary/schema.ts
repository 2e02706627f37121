import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { name, text, writeOptions } from '../parse.ts'

const said = text(LIMITS.content).refine((value) => value.trim() !== '', 'must not be empty')

export const askInput = z.strictObject({ question: said, ...writeOptions.shape })
export const textInput = z.strictObject({ text: said, ...writeOptions.shape })
export const incorporateInput = z.strictObject({ note: said.optional(), ...writeOptions.shape })
export const proposeInput = z.strictObject({ summary: said, ...writeOptions.shape })
export const continueInput = z.strictObject({ request: said, ...writeOptions.shape })
export const abortInput = z.strictObject({ reason: said, ...writeOptions.shape })

export const conversation = z.strictObject({
  conversationId: name,
  userId: name,
  chatmode: name.default('default'),
  tenant: name.optional(),
})

export const incoming = z.strictObject({ ...conversation.shape, message: said })

export const resumption = z.strictObject({ ...conversation.shape, accept: z.boolean().default(false) })
