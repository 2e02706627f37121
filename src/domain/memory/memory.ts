import type { JsonObject } from '../json.ts'
import type { SourceType } from './source-type.ts'

/** Kinds of memories. */
export const MEMORY_CATEGORIES = ['facts', 'preferences', 'rules', 'skills', 'context'] as const

/** One of {@link MEMORY_CATEGORIES}. */
export type MemoryCategory = (typeof MEMORY_CATEGORIES)[number]

/** Something worth knowing beyond its session, with where it comes from. Its content never changes: what is found to be otherwise becomes a memory of its own. */
export interface Memory {
  id: string
  tenant: string
  userId: string
  /** One of {@link MEMORY_CATEGORIES}, or what a table that was there before says. */
  category: string
  content: string
  /** Where it holds, in the caller's words: a project, a chatmode … Absent: everywhere. */
  scope?: string
  sourceType: SourceType
  /** 0.00 to 1.00: how far it is believed, folded from the lineage. */
  confidence: number
  /** What supports and what contradicts it, oldest first; the first is where it comes from. */
  lineage: LineageEntry[]
  /** How often it was found and given out. */
  useCount: number
  createdAt: string
  lastUsedAt?: string
  /** From then on it does not come back. */
  expiresAt?: string
  /** The memory that took its place, and when. */
  supersededBy?: string
  supersededAt?: string
  /** What the caller wants kept beside it. */
  metadata?: JsonObject
}

/** Where a memory comes from, or what speaks for or against it. */
export interface LineageEntry extends MemorySource {
  relation: 'origin' | 'corroborates' | 'contradicts'
  at: string
  /** How it came about. Absent: as the memory did. */
  sourceType?: SourceType
  /** Of an origin: what the memory was believed at first. */
  confidence?: number
}

/** A range of a session's log, or a source outside of it. */
export interface MemorySource {
  sessionId?: string
  /** First and last event, by sequence. */
  from?: number
  to?: number
  /** Name of a source outside: a tool, an address, an import. */
  source?: string
}

/** What happened to a memory. */
export interface MemoryChange {
  /** 1, 2, 3 … */
  version: number
  at: string
  change: 'created' | 'merged' | 'corroborated' | 'contradicted' | 'superseded' | 'restored' | 'source_removed'
  /** After the change. */
  confidence: number
  source?: MemorySource
  note?: string
  /** The other memory, of one that was superseded. */
  by?: string
}

/** Whether the memory may be given out at that moment. */
export function isCurrent(
  { expiresAt, supersededBy }: Pick<Memory, 'expiresAt' | 'supersededBy'>,
  now: string,
): boolean {
  return supersededBy === undefined && (expiresAt === undefined || expiresAt > now)
}

/** Name under which everything that comes from a source is found; `undefined` for what names none. */
export function sourceKey({ sessionId, source }: MemorySource): string | undefined {
  if (sessionId !== undefined) return `session:${sessionId}`
  return source === undefined ? undefined : `source:${source}`
}
