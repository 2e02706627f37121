import { z } from 'zod/mini'
import { schema, statement, writeOptions } from '../kernel/parse.ts'

export const askInput = schema(() => z.strictObject({ question: statement(), ...writeOptions().shape }))
export const textInput = schema(() => z.strictObject({ text: statement(), ...writeOptions().shape }))
export const incorporateInput = schema(() => z.strictObject({ note: z.optional(statement()), ...writeOptions().shape }))
export const proposeInput = schema(() => z.strictObject({ summary: statement(), ...writeOptions().shape }))
export const continueInput = schema(() => z.strictObject({ request: statement(), ...writeOptions().shape }))
export const abortInput = schema(() => z.strictObject({ reason: statement(), ...writeOptions().shape }))
