import { z } from 'zod/mini'
import { LIMITS } from '../../domain/limits.ts'
import { jsonObject, name, pageSize, schema, tenantName, text } from '../kernel/parse.ts'

const question = schema(() =>
  text(LIMITS.question).check(z.refine((value) => value.trim() !== '', 'must not be empty')),
)

/** Part of a path over HTTP, where these two are steps. */
const ownId = schema(() => name().check(z.refine((id) => id !== '.' && id !== '..', "must not be '.' or '..'")))

export const requestInput = schema(() =>
  z.strictObject({
    id: z.optional(ownId()),
    kind: name(),
    question: question(),
    schema: z.optional(jsonObject()),
    toolCallId: z.optional(name()),
  }),
)

/** The operation checks the value against the schema of the request. */
export const resolveInput = schema(() =>
  z.strictObject({ value: z.unknown().register(z.globalRegistry, { description: 'Any JSON that fits the schema.' }) }),
)

const status = schema(() => z.enum(['open', 'resolved'], 'must be open or resolved'))

export const requestsQuery = schema(() =>
  z.strictObject({
    status: z.optional(status()),
    limit: z.optional(pageSize()),
    cursor: z.optional(z.string().check(z.maxLength(4096))),
  }),
)

export const findRequestsQuery = schema(() =>
  z.strictObject({
    ...requestsQuery().shape,
    userId: z.optional(name()),
    tenant: z.optional(tenantName()),
  }),
)
