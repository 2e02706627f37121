import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { MEMORY_CATEGORIES } from '../../domain/memory/memory.ts'
import { SOURCE_TYPES } from '../../domain/memory/source.ts'
import { duration, jsonObject, moment, name, pageSize, sequence, text, uuid } from '../parse.ts'

const content = text(LIMITS.memory).refine((value) => value.trim() !== '', 'must not be empty')
const note = text(LIMITS.note).min(1)
const confidence = z.number().min(0).max(1)

const source = {
  sessionId: uuid.optional(),
  from: sequence.min(1).optional(),
  to: sequence.min(1).optional(),
  source: name.optional(),
}

export const rememberInput = z.strictObject({
  userId: name,
  content,
  category: z.enum(MEMORY_CATEGORIES).default('facts'),
  sourceType: z.enum(SOURCE_TYPES).default('explicit'),
  confidence: confidence.optional(),
  scope: name.optional(),
  source: z.strictObject(source).optional(),
  expiresAt: moment.optional(),
  expiresInMs: duration.optional(),
  metadata: jsonObject.optional(),
  id: uuid.optional(),
  tenant: name.optional(),
})

const category = z.enum(MEMORY_CATEGORIES)

export const searchMemories = z.strictObject({
  userId: name,
  query: text(LIMITS.query).min(1),
  category: z
    .union([category, z.array(category)])
    .transform((value) => [value].flat())
    .optional(),
  scope: name.optional(),
  minConfidence: confidence.optional(),
  sourceTypes: z.array(z.enum(SOURCE_TYPES)).optional(),
  limit: pageSize.optional(),
  record: z.boolean().default(true),
  tenant: name.optional(),
})

export const listMemories = z.strictObject({
  userId: name,
  limit: pageSize.optional(),
  cursor: uuid.optional(),
  tenant: name.optional(),
})

const evidenceFields = { ...source, sourceType: z.enum(SOURCE_TYPES).optional(), note: note.optional() }

export const evidence = z.strictObject(evidenceFields)

export const contradiction = z.strictObject({
  ...evidenceFields,
  supersededBy: uuid.optional(),
  content: content.optional(),
})

export const forgetSource = z.strictObject({
  userId: name,
  sessionId: uuid.optional(),
  source: name.optional(),
  tenant: name.optional(),
})
