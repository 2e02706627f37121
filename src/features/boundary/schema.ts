import { z } from 'zod/mini'
import { LIMITS } from '../../domain/limits.ts'
import { name, schema, text, writeOptions } from '../parse.ts'

const said = schema(() => text(LIMITS.content).check(z.refine((value) => value.trim() !== '', 'must not be empty')))

export const askInput = schema(() => z.strictObject({ question: said(), ...writeOptions().shape }))
export const textInput = schema(() => z.strictObject({ text: said(), ...writeOptions().shape }))
export const incorporateInput = schema(() => z.strictObject({ note: z.optional(said()), ...writeOptions().shape }))
export const proposeInput = schema(() => z.strictObject({ summary: said(), ...writeOptions().shape }))
export const continueInput = schema(() => z.strictObject({ request: said(), ...writeOptions().shape }))
export const abortInput = schema(() => z.strictObject({ reason: said(), ...writeOptions().shape }))

export const conversation = schema(() =>
  z.strictObject({
    conversationId: name(),
    userId: name(),
    chatmode: z._default(name(), 'default'),
    tenant: z.optional(name()),
  }),
)

export const incoming = schema(() => z.strictObject({ ...conversation().shape, message: said() }))

export const resumption = schema(() =>
  z.strictObject({ ...conversation().shape, accept: z._default(z.boolean(), false) }),
)
