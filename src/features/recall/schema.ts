import { z } from 'zod/mini'
import type { IndexOptions } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import { SOURCE_TYPES } from '../../domain/memory/source-type.ts'
import { RECALL_KINDS } from '../../domain/recall/recall-kind.ts'
import { moment, name, pageSize, schema, tenantName, text } from '../kernel/parse.ts'

export const recallQuery = schema(() =>
  z.strictObject({
    userId: name(),
    query: text(LIMITS.query).check(z.minLength(1)),
    limit: z.optional(pageSize()),
    maxTokens: z.optional(z.int().check(z.minimum(0))),
    kinds: z._default(z.array(z.enum(RECALL_KINDS)), [...RECALL_KINDS]),
    since: z.optional(moment()),
    until: z.optional(moment()),
    sourceTypes: z.optional(z.array(z.enum(SOURCE_TYPES))),
    abandoned: z._default(z.boolean(), false),
    tenant: z.optional(tenantName()),
  }),
)

export const indexOptions = schema(() =>
  z.strictObject({
    userId: z.optional(name()),
    tenant: z.optional(tenantName()),
    onProgress: z.optional(
      z.custom<NonNullable<IndexOptions['onProgress']>>((value) => typeof value === 'function', 'must be a function'),
    ),
  }),
)
