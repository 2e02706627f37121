import type { LineageEntry, MemorySource } from './memory.ts'

/** What a memory is believed when nobody says otherwise. */
export const DEFAULT_CONFIDENCE = 0.8
/** Share of the remaining doubt that a corroboration takes away. */
const CORROBORATION = 0.25
/** Share of the belief that a contradiction takes away. */
const CONTRADICTION = 0.5

/** To hundredths, as every store keeps it; a half goes up, also where binary fractions fall just short of it. */
const roundToHundredths = (confidence: number) => Math.round(confidence * 100 + 1e-9) / 100

/** How far a memory with this lineage is believed. Each corroboration takes away a quarter of the doubt, each contradiction half of the belief. */
export function confidenceOf(lineage: readonly LineageEntry[]): number {
  let confidence = DEFAULT_CONFIDENCE
  for (const entry of lineage) {
    if (entry.relation === 'origin') confidence = entry.confidence ?? confidence
    else if (entry.relation === 'corroborates')
      confidence = roundToHundredths(confidence + (1 - confidence) * CORROBORATION)
    else confidence = roundToHundredths(confidence * CONTRADICTION)
  }
  return roundToHundredths(confidence)
}

/** Whether the lineage has this evidence already: the same events, or the same source, speak once. */
export function hasEvidence(
  lineage: readonly LineageEntry[],
  source: MemorySource,
  relation: LineageEntry['relation'],
): boolean {
  const supports = relation !== 'contradicts'
  return lineage.some((entry) => (entry.relation !== 'contradicts') === supports && overlaps(entry, source))
}

function overlaps(a: MemorySource, b: MemorySource): boolean {
  if (a.sessionId !== b.sessionId || a.source !== b.source) return false
  if (a.sessionId === undefined) return a.source !== undefined
  return (a.from ?? 1) <= (b.to ?? Number.POSITIVE_INFINITY) && (b.from ?? 1) <= (a.to ?? Number.POSITIVE_INFINITY)
}

/**
 * The lineage without what comes from a source; `undefined` if nothing that supports the memory remains. If the origin goes, the oldest
 * support that is left takes its place, with what was believed at first.
 */
export function lineageWithout(
  lineage: readonly LineageEntry[],
  gone: (entry: LineageEntry) => boolean,
): LineageEntry[] | undefined {
  const rest = lineage.filter((entry) => !gone(entry))
  if (rest.some(({ relation }) => relation === 'origin')) return rest
  const heir = rest.findIndex(({ relation }) => relation === 'corroborates')
  if (heir < 0) return undefined
  const believed = lineage.find(({ relation }) => relation === 'origin')?.confidence
  return rest.map((entry, i) =>
    i === heir ? { ...entry, relation: 'origin', ...(believed !== undefined && { confidence: believed }) } : entry,
  )
}
