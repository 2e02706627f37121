/** Applies evidence to memories. Pure: the store only keeps the result. */

import { defined } from '../optional.ts'
import { confidenceOf, DEFAULT_CONFIDENCE, hasEvidence, lineageWithout } from './confidence.ts'
import { isCurrent, type LineageEntry, type Memory, type MemoryChange, type MemorySource } from './memory.ts'
import { moreTrusted, type SourceType } from './source-type.ts'

/** A memory and the entry for its history; no entry without a change. */
export interface MemoryStep {
  memory: Memory
  change?: Omit<MemoryChange, 'version'>
}

/** Creates a memory. */
export function createMemory(
  memory: Omit<Memory, 'lineage' | 'confidence' | 'useCount'> & { confidence?: number },
  source: MemorySource | undefined,
): Required<MemoryStep> {
  const { createdAt: at, sourceType } = memory
  const confidence = confidenceOf([{ relation: 'origin', at, confidence: memory.confidence ?? DEFAULT_CONFIDENCE }])
  const lineage: LineageEntry[] = [{ relation: 'origin', ...source, at, sourceType, confidence }]
  const change = defined({ at, change: 'created' as const, confidence, source })
  return { memory: { ...memory, confidence, lineage, useCount: 0 }, change }
}

/** Adds evidence for or against a memory. The same events or the same source count once. */
export function addEvidence(
  memory: Memory,
  relation: 'corroborates' | 'contradicts',
  { at, source, note, sourceType, kind }: NewEvidence,
): MemoryStep {
  if (source !== undefined && hasEvidence(memory.lineage, source, relation)) return { memory }
  const entry: LineageEntry = { relation, ...source, ...defined({ at, sourceType }) }
  const next = withLineage(memory, [...lineageWithOrigin(memory), entry])
  return {
    memory: next,
    change: defined({
      at,
      change: kind ?? (relation === 'corroborates' ? 'corroborated' : 'contradicted'),
      confidence: next.confidence,
      source,
      note,
    }),
  }
}

export interface NewEvidence {
  at: string
  source?: MemorySource | undefined
  note?: string | undefined
  sourceType?: SourceType | undefined
  kind?: MemoryChange['change']
}

/** Marks a memory as replaced by another. */
export function supersede(memory: Memory, by: string, at: string): Required<MemoryStep> {
  return {
    memory: { ...memory, supersededBy: by, supersededAt: at },
    change: { at, change: 'superseded', confidence: memory.confidence, by },
  }
}

/**
 * Removes a source from a memory; `undefined` if nothing else supports it. Restores a memory that was superseded
 * because of that source alone.
 */
export function removeSource(
  memory: Memory,
  gone: (entry: LineageEntry) => boolean,
  at: string,
): Required<MemoryStep> | undefined {
  const lineage = lineageWithout(lineageWithOrigin(memory), gone)
  if (lineage === undefined) return undefined
  const { supersededBy, supersededAt, ...next } = withLineage(memory, lineage)
  const isRestored = memory.lineage.some(
    (entry) => entry.relation === 'contradicts' && entry.at === supersededAt && gone(entry),
  )
  const held = !isRestored && supersededBy !== undefined && supersededAt !== undefined
  return {
    memory: held ? { ...next, supersededBy, supersededAt } : next,
    change: { at, change: isRestored ? 'restored' : 'source_removed', confidence: next.confidence },
  }
}

/** Whether a memory that says the same can be merged: same scope, and current. */
export function isMergeable(memory: Memory, { scope }: { scope?: string | undefined }, now: string): boolean {
  return memory.scope === scope && isCurrent(memory, now)
}

/** Returns the lineage with an origin. Rows of an adopted table have none; their current confidence becomes it. */
function lineageWithOrigin({ lineage, createdAt: at, confidence, sourceType }: Memory): LineageEntry[] {
  if (lineage.some(({ relation }) => relation === 'origin')) return lineage
  return [{ relation: 'origin', at, sourceType, confidence }, ...lineage]
}

function withLineage(memory: Memory, lineage: LineageEntry[]): Memory {
  const supports = lineage.filter(({ relation }) => relation !== 'contradicts')
  return {
    ...memory,
    lineage,
    confidence: confidenceOf(lineage),
    sourceType: supports.map((entry) => entry.sourceType ?? memory.sourceType).reduce(moreTrusted, 'tool_output'),
  }
}
