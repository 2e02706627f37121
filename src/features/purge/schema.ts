import { z } from 'zod/mini'
import { name, schema } from '../parse.ts'

export const purgeUserInput = schema(() =>
  z.strictObject({
    userId: name(),
    tenant: z.optional(name()),
  }),
)
