import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { name, text, writeOptions } from '../parse.ts'

export const addInput = z.strictObject({
  key: name,
  value: z.unknown().meta({ description: 'Any JSON.' }),
  ...writeOptions.shape,
})

export const incrementInput = z.strictObject({
  key: name,
  by: z.number('must be a number').default(1),
  ...writeOptions.shape,
})

export const gateInput = z.strictObject({
  gate: z.int('must be the number of a gate'),
  note: text(LIMITS.content).min(1).optional(),
  ...writeOptions.shape,
})
