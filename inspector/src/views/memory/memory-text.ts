import type { LineageEntry, Memory, MemoryChange, MemorySource } from '../../api/types.ts'

/** How a memory came about, for people. */
export const SOURCE_NAMES: Readonly<Record<Memory['sourceType'], string>> = {
  explicit: 'said to be remembered',
  implicit: 'gathered from what was said',
  bootstrap: 'there before, or imported',
  tool_output: 'from a tool, so from anyone',
}

/** Kinds of memories that the server knows. */
export const CATEGORIES = ['facts', 'preferences', 'rules', 'skills', 'context'] as const

/** What an entry of the lineage does for the memory. */
export const RELATION_NAMES: Readonly<Record<LineageEntry['relation'], string>> = {
  origin: 'Origin',
  corroborates: 'Speaks for it',
  contradicts: 'Speaks against it',
}

/** What happened to a memory, for people. */
export const CHANGE_NAMES: Readonly<Record<MemoryChange['change'], string>> = {
  created: 'kept',
  merged: 'said again',
  corroborated: 'corroborated',
  contradicted: 'contradicted',
  superseded: 'superseded',
  restored: 'holds again',
  source_removed: 'a source was removed',
}

/** Why a memory does not come back; `undefined` while it does. */
export function inactiveReason({ supersededBy, expiresAt }: Memory, now: number): 'superseded' | 'expired' | undefined {
  if (supersededBy !== undefined) return 'superseded'
  return expiresAt !== undefined && Date.parse(expiresAt) <= now ? 'expired' : undefined
}

/** A share as it is kept: to hundredths. */
export const formatConfidence = (confidence: number) => confidence.toFixed(2)

/** What a list is narrowed to. */
export interface MemoryFilter {
  readonly category: string
  readonly minConfidence: number
  /** Also those that were superseded or have expired. */
  readonly includesInactive: boolean
}

/** Whether a memory is among those wanted. */
export function matchesFilter(
  memory: Memory,
  { category, minConfidence, includesInactive: past }: MemoryFilter,
  now: number,
): boolean {
  return (
    (category === '' || memory.category === category) &&
    memory.confidence >= minConfidence &&
    (past || inactiveReason(memory, now) === undefined)
  )
}

/** In the order in which they were kept, the last first. */
export function sortNewestFirst(memories: readonly Memory[]): Memory[] {
  // what was kept at once is in order of id
  return memories.toReversed().sort((a, b) => (a.createdAt < b.createdAt ? 1 : a.createdAt > b.createdAt ? -1 : 0))
}

/** `1 memory`, `2 memories`. */
export const formatMemoryCount = (count: number) =>
  `${count.toLocaleString('en')} ${count === 1 ? 'memory' : 'memories'}`

/** Whether anything in the lineage points to the session. */
export function comesFromSession({ lineage }: Memory, sessionId: string): boolean {
  return lineage.some((entry) => entry.sessionId === sessionId)
}

/** The events that an entry points to, as the log counts them; `undefined` where it names none. */
export function eventRange({ sessionId, from, to }: MemorySource): { from: number; to: number } | undefined {
  if (sessionId === undefined || from === undefined) return undefined
  return { from, to: Math.max(from, to ?? from) }
}

/** The end of an id: ids of one day begin alike. */
export const shortenId = (id: string) => (id.length > 12 ? `…${id.slice(-8)}` : id)

/** `event 3` or `events 3 to 5`. */
export function formatRange({ from, to }: { from: number; to: number }): string {
  return from === to ? `event ${from}` : `events ${from} to ${to}`
}

/** What the steps of a confidence come to, as a sentence. */
export function describeChanges(changes: readonly MemoryChange[]): string {
  const first = changes[0]
  const last = changes.at(-1)
  if (first === undefined || last === undefined) return 'Nothing is known of its changes.'
  if (changes.length === 1) return `Confidence ${formatConfidence(first.confidence)} since it was kept.`
  return `Confidence from ${formatConfidence(first.confidence)} to ${formatConfidence(last.confidence)} over ${changes.length} changes.`
}
