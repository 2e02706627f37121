import { isObject, type Json, type JsonObject } from '../../domain/json.ts'
import { DEFAULT_CONFIDENCE } from '../../domain/memory/confidence.ts'
import type { LineageEntry, Memory, MemoryChange, MemorySource } from '../../domain/memory/memory.ts'
import { SOURCE_TYPES } from '../../domain/memory/source-type.ts'

/** A row of `context.memory_row`. Another service may have written it, so columns may be null. */
export interface MemoryRow {
  id: string
  tenant: string
  user_id: string
  category: string | null
  content: string | null
  scope: string | null
  source_type: string | null
  confidence: number | null
  lineage: Json
  use_count: number | null
  created_at: string | null
  last_used_at: string | null
  expires_at: string | null
  superseded_by: string | null
  superseded_at: string | null
  metadata: JsonObject | null
}

/** A row of `memori.memory_history`. */
export interface ChangeRow {
  version: number
  at: string
  change: MemoryChange['change']
  confidence: number
  source: MemorySource | null
  note: string | null
  by_memory: string | null
}

export function memoryOf(row: MemoryRow): Memory {
  const confidence = row.confidence ?? DEFAULT_CONFIDENCE
  const createdAt = row.created_at ?? '1970-01-01T00:00:00.000Z'
  return {
    id: row.id,
    tenant: row.tenant,
    userId: row.user_id,
    category: row.category ?? 'facts',
    content: row.content ?? '',
    ...(row.scope !== null && { scope: row.scope }),
    sourceType: SOURCE_TYPES.find((type) => type === row.source_type) ?? 'bootstrap',
    confidence,
    lineage: lineageOf(row.lineage, createdAt, confidence),
    useCount: row.use_count ?? 0,
    createdAt,
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.superseded_by !== null && { supersededBy: row.superseded_by }),
    ...(row.superseded_at !== null && { supersededAt: row.superseded_at }),
    ...(row.metadata !== null && { metadata: row.metadata }),
  }
}

/**
 * An adopted table lists plain ids of the sessions that contributed. Each becomes an origin with the confidence of the
 * memory, so the fold over the lineage gives the confidence of the table.
 */
function lineageOf(lineage: Json, at: string, confidence: number): LineageEntry[] {
  if (!Array.isArray(lineage)) return []
  return (lineage as readonly Json[]).flatMap((entry): LineageEntry[] => {
    if (typeof entry === 'string') return [{ relation: 'origin', at, sessionId: entry, confidence }]
    return isObject(entry) ? [{ relation: 'origin', at, ...(entry as Partial<LineageEntry>) }] : []
  })
}

export function changeOf({ version, at, change, confidence, source, note, by_memory }: ChangeRow): MemoryChange {
  return {
    version,
    at,
    change,
    confidence,
    ...(source !== null && { source }),
    ...(note !== null && { note }),
    ...(by_memory !== null && { by: by_memory }),
  }
}
