import { z } from 'zod/mini'
import { name, schema, statement, tenantName } from '../kernel/parse.ts'

export const conversation = schema(() =>
  z.strictObject({
    conversationId: name(),
    userId: name(),
    chatmode: z._default(name(), 'default'),
    tenant: z.optional(tenantName()),
  }),
)

export const incoming = schema(() => z.strictObject({ ...conversation().shape, message: statement() }))

export const resumption = schema(() =>
  z.strictObject({ ...conversation().shape, accept: z._default(z.boolean(), false) }),
)
