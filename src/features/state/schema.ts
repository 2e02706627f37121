import { z } from 'zod/mini'
import { LIMITS } from '../../domain/limits.ts'
import { name, schema, text, writeOptions } from '../kernel/parse.ts'

export const addInput = schema(() =>
  z.strictObject({
    key: name(),
    value: z.unknown().register(z.globalRegistry, { description: 'Any JSON.' }),
    ...writeOptions().shape,
  }),
)

export const incrementInput = schema(() =>
  z.strictObject({
    key: name(),
    by: z._default(z.number('must be a number'), 1),
    ...writeOptions().shape,
  }),
)

export const gateInput = schema(() =>
  z.strictObject({
    gate: z.int('must be the number of a gate'),
    note: z.optional(text(LIMITS.statement).check(z.minLength(1))),
    ...writeOptions().shape,
  }),
)
