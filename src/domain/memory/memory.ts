import type { JsonObject } from '../json.ts'
import type { SourceType } from './source-type.ts'

/** Kinds of memories. */
export const MEMORY_CATEGORIES = ['facts', 'preferences', 'rules', 'skills', 'context'] as const

/** One of {@link MEMORY_CATEGORIES}. */
export type MemoryCategory = (typeof MEMORY_CATEGORIES)[number]

/**
 * Something worth knowing beyond its session, with its sources. The content never changes: a correction becomes a new
 * memory.
 */
export interface Memory {
  id: string
  tenant: string
  userId: string
  /** One of {@link MEMORY_CATEGORIES}, or the value of an adopted table. */
  category: string
  content: string
  /** Where it applies: a project, a chatmode … Absent: everywhere. */
  scope?: string
  sourceType: SourceType
  /** 0.00 to 1.00, folded from the lineage. */
  confidence: number
  /** Supporting and contradicting evidence, oldest first; the first entry is the origin. */
  lineage: LineageEntry[]
  /** How often it was returned. */
  useCount: number
  createdAt: string
  lastUsedAt?: string
  /** From this time on it is not returned. */
  expiresAt?: string
  /** The memory that replaced it, and when. */
  supersededBy?: string
  supersededAt?: string
  /** The caller's own data. */
  metadata?: JsonObject
}

/** Evidence of a memory: its origin, support or contradiction. */
export interface LineageEntry extends MemorySource {
  relation: 'origin' | 'corroborates' | 'contradicts'
  at: string
  /** Absent: the memory's own. */
  sourceType?: SourceType
  /** Initial confidence; only on an origin. */
  confidence?: number
}

/** A range of a session's log, or an external source. */
export interface MemorySource {
  sessionId?: string
  /** First and last event, by sequence. */
  from?: number
  to?: number
  /** Name of an external source: a tool, an address, an import. */
  source?: string
}

/** A change of a memory. */
export interface MemoryChange {
  /** 1, 2, 3 … */
  version: number
  at: string
  change: 'created' | 'merged' | 'corroborated' | 'contradicted' | 'superseded' | 'restored' | 'source_removed'
  /** After the change. */
  confidence: number
  source?: MemorySource
  note?: string
  /** The replacement of a superseded memory. */
  by?: string
}

/** Whether the memory may be returned at that time. */
export function isCurrent(
  { expiresAt, supersededBy }: Pick<Memory, 'expiresAt' | 'supersededBy'>,
  now: string,
): boolean {
  return supersededBy === undefined && (expiresAt === undefined || expiresAt > now)
}

/** Returns the key of a source; `undefined` if none is named. */
export function sourceKey({ sessionId, source }: MemorySource): string | undefined {
  if (sessionId !== undefined) return `session:${sessionId}`
  return source === undefined ? undefined : `source:${source}`
}
