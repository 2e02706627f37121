import { encodeTrustedJson } from '../../domain/json.ts'
import type { LineageEntry, Memory, MemoryChange } from '../../domain/memory/memory.ts'
import type { SourceType } from '../../domain/memory/source-type.ts'
import type { UserKey } from '../../ports/recall-index.ts'

/** A row of `memories`, without internal columns. */
export interface MemoryRow {
  id: string
  tenant: string
  user_id: string
  category: string
  content: string
  scope: string | null
  source_type: string
  confidence: number
  lineage: string
  use_count: number
  created_at: string
  last_used_at: string | null
  expires_at: string | null
  superseded_by: string | null
  superseded_at: string | null
  metadata: string | null
}

/** A row of `memory_history`, without its memory. */
export interface ChangeRow {
  version: number
  at: string
  change: string
  confidence: number
  source: string | null
  note: string | null
  by_memory: string | null
}

export function memoryOf(row: MemoryRow): Memory {
  return {
    id: row.id,
    tenant: row.tenant,
    userId: row.user_id,
    category: row.category,
    content: row.content,
    ...(row.scope !== null && { scope: row.scope }),
    sourceType: row.source_type as SourceType,
    confidence: row.confidence,
    lineage: JSON.parse(row.lineage) as LineageEntry[],
    useCount: row.use_count,
    createdAt: row.created_at,
    ...(row.last_used_at !== null && { lastUsedAt: row.last_used_at }),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
    ...(row.superseded_by !== null && { supersededBy: row.superseded_by }),
    ...(row.superseded_at !== null && { supersededAt: row.superseded_at }),
    ...(row.metadata !== null && { metadata: JSON.parse(row.metadata) }),
  }
}

/** The row of a memory for this user, even if the memory names another owner. */
export function memoryRowOf(memory: Memory, { tenant, userId }: UserKey): MemoryRow {
  return {
    id: memory.id,
    tenant,
    user_id: userId,
    category: memory.category,
    content: memory.content,
    scope: memory.scope ?? null,
    source_type: memory.sourceType,
    confidence: memory.confidence,
    lineage: encodeTrustedJson(memory.lineage),
    use_count: memory.useCount,
    created_at: memory.createdAt,
    last_used_at: memory.lastUsedAt ?? null,
    expires_at: memory.expiresAt ?? null,
    superseded_by: memory.supersededBy ?? null,
    superseded_at: memory.supersededAt ?? null,
    metadata: memory.metadata === undefined ? null : encodeTrustedJson(memory.metadata),
  }
}

export function changeOf(row: ChangeRow): MemoryChange {
  return {
    version: row.version,
    at: row.at,
    change: row.change as MemoryChange['change'],
    confidence: row.confidence,
    ...(row.source !== null && { source: JSON.parse(row.source) }),
    ...(row.note !== null && { note: row.note }),
    ...(row.by_memory !== null && { by: row.by_memory }),
  }
}

export function changeRowOf(change: Omit<MemoryChange, 'version'>): Omit<ChangeRow, 'version'> {
  return {
    at: change.at,
    change: change.change,
    confidence: change.confidence,
    source: change.source === undefined ? null : encodeTrustedJson(change.source),
    note: change.note ?? null,
    by_memory: change.by ?? null,
  }
}
