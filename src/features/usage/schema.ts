import { z } from 'zod/mini'
import { name, pageSize, schema, tenantName } from '../kernel/parse.ts'

/** A day in UTC. */
const day = schema(() =>
  z.string().check(z.refine((value) => isDay(value), 'must be a day in UTC, such as 2026-01-31')),
)

function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const time = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text)
}

const page = schema(() =>
  z.strictObject({
    userId: z.optional(name()),
    tenant: z.optional(tenantName()),
    limit: z.optional(pageSize()),
    cursor: z.optional(z.string().check(z.maxLength(4096))),
  }),
)

export const usageQuery = schema(() =>
  z.strictObject({
    by: z.enum(['user', 'tenant', 'day', 'model'], 'must be one of user, tenant, day, model'),
    ...page().shape,
    since: z.optional(day()),
    until: z.optional(day()),
  }),
)

export const storageQuery = schema(() =>
  z.strictObject({ by: z.enum(['user', 'tenant'], 'must be one of user, tenant'), ...page().shape }),
)

/** Both in one call: `storage` asks for what is stored. */
export const reportQuery = schema(() => z.strictObject({ ...usageQuery().shape, storage: z.optional(z.boolean()) }))
