import { z } from 'zod/mini'
import { messageText, schema, writeOptions } from '../kernel/parse.ts'

export const askInput = schema(() => z.strictObject({ question: messageText(), ...writeOptions().shape }))
export const textInput = schema(() => z.strictObject({ text: messageText(), ...writeOptions().shape }))
export const incorporateInput = schema(() =>
  z.strictObject({ note: z.optional(messageText()), ...writeOptions().shape }),
)
export const proposeInput = schema(() => z.strictObject({ summary: messageText(), ...writeOptions().shape }))
export const continueInput = schema(() => z.strictObject({ request: messageText(), ...writeOptions().shape }))
export const abortInput = schema(() => z.strictObject({ reason: messageText(), ...writeOptions().shape }))
