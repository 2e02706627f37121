import { z } from 'zod/mini'
import { LIMITS } from '../../domain/limits.ts'
import { name, schema, text, writeOptions } from '../kernel/parse.ts'

const reason = schema(() => text(LIMITS.statement).check(z.minLength(1)))

export const switchInput = schema(() =>
  z.strictObject({
    agent: name(),
    reason: z.optional(reason()),
    from: z.optional(name()),
    ...writeOptions().shape,
  }),
)

export const transitionInput = schema(() => z.strictObject({ to: name(), reason: reason() }))

/** Checked by the operation, which knows the depth limit. */
const context = schema(() =>
  z.unknown().register(z.globalRegistry, { type: 'object', description: 'Context for the next agent.' }),
)

export const handoffInput = schema(() =>
  z.strictObject({ to: name(), reason: reason(), context: z.optional(context()) }),
)
