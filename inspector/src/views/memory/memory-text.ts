import type { LineageEntry, Memory, MemoryChange, MemorySource } from '../../api/types.ts'

export const SOURCE_NAMES: Readonly<Record<Memory['sourceType'], string>> = {
  explicit: 'stored on request',
  implicit: 'extracted from the conversation',
  bootstrap: 'imported or already there',
  tool_output: 'from tool output, so untrusted',
}

export const RELATION_NAMES: Readonly<Record<LineageEntry['relation'], string>> = {
  origin: 'Origin',
  corroborates: 'Corroborates',
  contradicts: 'Contradicts',
}

export const CHANGE_NAMES: Readonly<Record<MemoryChange['change'], string>> = {
  created: 'created',
  merged: 'repeated',
  corroborated: 'corroborated',
  contradicted: 'contradicted',
  superseded: 'superseded',
  restored: 'restored',
  source_removed: 'source removed',
}

/** Why a memory is no longer recalled; `undefined` if it is. */
export function inactiveReason({ supersededBy, expiresAt }: Memory, now: number): 'superseded' | 'expired' | undefined {
  if (supersededBy !== undefined) return 'superseded'
  return expiresAt !== undefined && Date.parse(expiresAt) <= now ? 'expired' : undefined
}

export const formatConfidence = (confidence: number) => confidence.toFixed(2)

/** Filter of the memory list. */
export interface MemoryFilter {
  readonly category: string
  readonly minConfidence: number
  /** Whether to include superseded and expired memories. */
  readonly includesInactive: boolean
}

export function matchesFilter(
  memory: Memory,
  { category, minConfidence, includesInactive }: MemoryFilter,
  now: number,
): boolean {
  return (
    (category === '' || memory.category === category) &&
    memory.confidence >= minConfidence &&
    (includesInactive || inactiveReason(memory, now) === undefined)
  )
}

export function sortNewestFirst(memories: readonly Memory[]): Memory[] {
  // the server sorts by id, which breaks ties of the same time
  return memories.toReversed().sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0))
}

/** `1 memory`, `2 memories`. */
export const formatMemoryCount = (count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? 'memory' : 'memories'}`

/** Whether any lineage entry names the session. */
export function comesFromSession({ lineage }: Memory, sessionId: string): boolean {
  return lineage.some((entry) => entry.sessionId === sessionId)
}

/** The events that a source names; `undefined` if none. */
export function eventRange({ sessionId, from, to }: MemorySource): { from: number; to: number } | undefined {
  if (sessionId === undefined || from === undefined) return undefined
  return { from, to: Math.max(from, to ?? from) }
}

/** The end of an id: ids of the same day start alike. */
export const shortenId = (id: string) => (id.length > 12 ? `…${id.slice(-8)}` : id)

/** `event 3` or `events 3 to 5`. */
export function formatRange({ from, to }: { from: number; to: number }): string {
  return from === to ? `event ${from}` : `events ${from} to ${to}`
}

/** Summarizes the changes of a confidence. */
export function describeChanges(changes: readonly MemoryChange[]): string {
  const first = changes[0]
  const last = changes.at(-1)
  if (first === undefined || last === undefined) return 'No changes recorded.'
  if (changes.length === 1) return `Confidence ${formatConfidence(first.confidence)} since it was created.`
  return `Confidence from ${formatConfidence(first.confidence)} to ${formatConfidence(last.confidence)} over ${changes.length} changes.`
}
