import { z } from 'zod'
import type { Extraction, Forgotten, FoundMemory, Remembered } from '../../api.ts'
import type { LineageEntry, Memory, MemoryChange, MemorySource } from '../../domain/memory/memory.ts'
import { SOURCE_TYPES } from '../../domain/memory/source-type.ts'
import { anyObject, id, type Keys, time } from '../../http/response-schema.ts'

const CHANGES = [
  'created',
  'merged',
  'corroborated',
  'contradicted',
  'superseded',
  'restored',
  'source_removed',
] as const satisfies readonly MemoryChange['change'][]

const confidence = z.number().meta({ description: '0 to 1.' })

const source = {
  // an adopted table may hold session ids of any form
  sessionId: z.string().optional(),
  from: z.int().optional(),
  to: z.int().optional(),
  source: z.string().meta({ description: 'Name of an external source: a tool, an address, an import.' }).optional(),
} satisfies Keys<MemorySource>

const lineageResponse = z
  .strictObject({
    relation: z.enum(['origin', 'corroborates', 'contradicts']),
    ...source,
    at: time,
    sourceType: z.enum(SOURCE_TYPES).optional(),
    confidence: confidence.optional(),
  } satisfies Keys<LineageEntry>)
  .meta({ id: 'LineageEntry' })

const memory = {
  id,
  tenant: z.string(),
  userId: z.string(),
  category: z.string(),
  content: z.string(),
  scope: z.string().meta({ description: 'Where it applies. Default: everywhere.' }).optional(),
  sourceType: z.enum(SOURCE_TYPES),
  confidence,
  lineage: z.array(lineageResponse).meta({ description: 'What supports and what contradicts it, oldest first.' }),
  useCount: z.int().meta({ description: 'How often it was returned by a search.' }),
  createdAt: time,
  lastUsedAt: time.optional(),
  expiresAt: time.optional(),
  supersededBy: id.meta({ description: 'The memory that superseded it.' }).optional(),
  supersededAt: time.optional(),
  metadata: anyObject.optional(),
} satisfies Keys<Memory>

export const memoryResponse = z.strictObject(memory).meta({ id: 'Memory' })

export const rememberedResponse = z
  .strictObject({ ...memory, outcome: z.enum(['created', 'merged', 'unchanged']) } satisfies Keys<Remembered>)
  .meta({ id: 'Remembered' })

export const foundResponse = z
  .strictObject({
    ...memory,
    score: z.number().meta({ description: 'Greater is better.' }),
  } satisfies Keys<FoundMemory>)
  .meta({ id: 'FoundMemory' })

export const changeResponse = z
  .strictObject({
    version: z.int().meta({ description: '1, 2, 3 …' }),
    at: time,
    change: z.enum(CHANGES),
    confidence,
    source: z.strictObject(source).optional(),
    note: z.string().optional(),
    by: id.meta({ description: 'The memory that superseded it.' }).optional(),
  } satisfies Keys<MemoryChange>)
  .meta({ id: 'MemoryChange' })

export const forgottenResponse = z
  .strictObject({
    forgotten: z.int().meta({ description: 'Memories that were removed.' }),
    kept: z.int().meta({ description: 'Memories that stay but lost an entry of their lineage.' }),
  } satisfies Keys<Forgotten>)
  .meta({ id: 'Forgotten' })

export const extractionResponse = z
  .strictObject({
    sessionId: id,
    from: z.int(),
    to: z.int().meta({ description: 'Below `from` if there was nothing to read.' }),
    created: z.int(),
    merged: z.int(),
    memories: z.array(rememberedResponse),
  } satisfies Keys<Extraction>)
  .meta({ id: 'Extraction' })
