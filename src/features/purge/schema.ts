import { z } from 'zod/mini'
import { name, schema, tenantName } from '../kernel/parse.ts'

export const purgeUserInput = schema(() =>
  z.strictObject({
    userId: name(),
    tenant: z.optional(tenantName()),
  }),
)
