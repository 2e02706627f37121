import { z } from 'zod/mini'
import { LIMITS } from '../../domain/limits.ts'
import { MEMORY_CATEGORIES } from '../../domain/memory/memory.ts'
import { SOURCE_TYPES } from '../../domain/memory/source-type.ts'
import {
  duration,
  jsonObject,
  moment,
  name,
  pageSize,
  schema,
  sequence,
  tenantName,
  text,
  uuid,
} from '../kernel/parse.ts'

const content = text(LIMITS.memory).check(z.refine((value) => value.trim() !== '', 'must not be empty'))
const note = text(LIMITS.note).check(z.minLength(1))
const confidence = z.number().check(z.minimum(0), z.maximum(1))

const source = {
  sessionId: z.optional(uuid()),
  from: z.optional(sequence().check(z.minimum(1))),
  to: z.optional(sequence().check(z.minimum(1))),
  source: z.optional(name()),
}

export const rememberInput = schema(() =>
  z.strictObject({
    userId: name(),
    content,
    category: z._default(z.enum(MEMORY_CATEGORIES), 'facts'),
    sourceType: z._default(z.enum(SOURCE_TYPES), 'explicit'),
    confidence: z.optional(confidence),
    scope: z.optional(name()),
    source: z.optional(z.strictObject(source)),
    expiresAt: z.optional(moment()),
    expiresInMs: z.optional(duration()),
    metadata: z.optional(jsonObject()),
    id: z.optional(uuid()),
    tenant: z.optional(tenantName()),
  }),
)

const category = z.enum(MEMORY_CATEGORIES)

export const searchMemories = schema(() =>
  z.strictObject({
    userId: name(),
    query: text(LIMITS.query).check(z.minLength(1)),
    category: z.optional(
      z.pipe(
        z.union([category, z.array(category)]),
        z.transform((value) => [value].flat()),
      ),
    ),
    scope: z.optional(name()),
    minConfidence: z.optional(confidence),
    sourceTypes: z.optional(z.array(z.enum(SOURCE_TYPES))),
    limit: z.optional(pageSize()),
    record: z._default(z.boolean(), true),
    tenant: z.optional(tenantName()),
  }),
)

export const listMemories = schema(() =>
  z.strictObject({
    userId: name(),
    limit: z.optional(pageSize()),
    cursor: z.optional(uuid()),
    tenant: z.optional(tenantName()),
  }),
)

const evidenceFields = { ...source, sourceType: z.optional(z.enum(SOURCE_TYPES)), note: z.optional(note) }

export const evidence = schema(() => z.strictObject(evidenceFields))

export const contradiction = schema(() =>
  z.strictObject({
    ...evidenceFields,
    supersededBy: z.optional(uuid()),
    content: z.optional(content),
  }),
)

export const forgetSource = schema(() =>
  z.strictObject({
    userId: name(),
    sessionId: z.optional(uuid()),
    source: z.optional(name()),
    tenant: z.optional(tenantName()),
  }),
)
