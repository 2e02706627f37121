import type { LineageEntry, MemorySource } from './memory.ts'

/** Confidence of a memory without an explicit one. */
export const DEFAULT_CONFIDENCE = 0.8
/** Share of the remaining doubt that a corroboration removes. */
const CORROBORATION = 0.25
/** Factor of a contradiction. */
const CONTRADICTION = 0.5

/** Every store keeps hundredths; halves round up even where the binary fraction falls just short. */
const roundToHundredths = (confidence: number) => Math.round(confidence * 100 + 1e-9) / 100

/**
 * Folds a lineage to a confidence: a corroboration removes a quarter of the doubt, a contradiction halves the
 * confidence.
 */
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

/** Whether the lineage already has this evidence: the same events or the same source. */
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
 * Returns the lineage without a source; `undefined` if no support remains. If the origin is removed, the oldest
 * remaining support becomes the origin with the original confidence.
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
