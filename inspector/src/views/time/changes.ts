import type { Json, SessionEvent } from '../../api/types.ts'

/** What an event can change, in the order of the rows below the slider. */
export const CHANGE_KINDS = ['scratchpad', 'status', 'agent', 'envelope', 'work', 'commit'] as const

export type ChangeKind = (typeof CHANGE_KINDS)[number]

const KINDS_BY_TYPE: Readonly<Record<string, readonly ChangeKind[]>> = {
  session_started: ['status', 'agent', 'envelope'],
  session_forked: ['status', 'envelope'],
  status_changed: ['status'],
  state_changed: ['scratchpad'],
  handoff_taken: ['scratchpad'],
  agent_changed: ['agent'],
  agent_transition: ['agent'],
  envelope_updated: ['envelope'],
  work_committed: ['work'],
  session_compacted: ['commit'],
}

/** Types of events that change anything beside the log itself. */
export const CHANGE_TYPES: readonly string[] = Object.keys(KINDS_BY_TYPE)

const typesOfFirstKind = (kind: ChangeKind) => CHANGE_TYPES.filter((type) => KINDS_BY_TYPE[type]?.[0] === kind)

/** Every type once, by the kind that is named first: what is read together. */
export const TYPES_BY_KIND: Readonly<Record<ChangeKind, readonly string[]>> = {
  scratchpad: typesOfFirstKind('scratchpad'),
  status: typesOfFirstKind('status'),
  agent: typesOfFirstKind('agent'),
  envelope: typesOfFirstKind('envelope'),
  work: typesOfFirstKind('work'),
  commit: typesOfFirstKind('commit'),
}

/** Types of events that may change one kind. */
export const eventTypes = (kind: ChangeKind): string[] =>
  CHANGE_TYPES.filter(
    (type) => KINDS_BY_TYPE[type]?.includes(kind) || (kind === 'scratchpad' && type === 'agent_transition'),
  )

/** What an event changes. A handoff leaves its context in the scratchpad too. */
export function changeKinds({ type, parts }: Pick<SessionEvent, 'type' | 'parts'>): readonly ChangeKind[] {
  return type === 'agent_transition' && hasContext(parts) ? ['agent', 'scratchpad'] : (KINDS_BY_TYPE[type] ?? [])
}

function hasContext(parts: Json | undefined): boolean {
  return typeof parts === 'object' && parts !== null && 'context' in parts
}

/** One or more changes that are drawn as one: they are too close to each other. */
export interface Mark {
  /** The last of them. */
  readonly sequence: number
  readonly count: number
  /** Its place on the slider, 0 to 1. */
  readonly share: number
}

/** Marks of one kind. */
export interface MarkRow {
  readonly kind: ChangeKind
  readonly count: number
  readonly marks: readonly Mark[]
}

/** A row for each kind that occurs, with at most `most` marks on it. */
export function buildMarkRows(events: readonly SessionEvent[], head: number, most = 200): MarkRow[] {
  const rows = new Map<ChangeKind, Map<number, Mark>>()
  for (const event of events) {
    const share = head <= 1 ? 0 : (event.sequence - 1) / (head - 1)
    const bucket = Math.min(most - 1, Math.floor(share * most))
    for (const kind of changeKinds(event)) {
      const row = rows.get(kind) ?? new Map<number, Mark>()
      const count = (row.get(bucket)?.count ?? 0) + 1
      rows.set(kind, row.set(bucket, { sequence: event.sequence, count, share }))
    }
  }
  return CHANGE_KINDS.flatMap((kind) => {
    const marks = [...(rows.get(kind)?.values() ?? [])]
    return marks.length === 0 ? [] : [{ kind, marks, count: marks.reduce((sum, { count }) => sum + count, 0) }]
  })
}

/** A part of the log's changes. */
export interface LoadedChanges {
  readonly events: readonly SessionEvent[]
  /** By type: the event from which on all are known, where older ones were left out. */
  readonly since: ReadonlyMap<string, number>
}

/** What was read of each of the {@link TYPES_BY_KIND}, in their order, as one. */
export function mergeChanges(
  read: readonly { readonly events: readonly SessionEvent[]; readonly hasMore: boolean }[],
): LoadedChanges {
  const since = new Map<string, number>()
  for (const [i, { events, hasMore }] of read.entries()) {
    const kind = CHANGE_KINDS[i]
    if (kind === undefined || !hasMore) continue
    for (const type of TYPES_BY_KIND[kind]) since.set(type, events[0]?.sequence ?? Number.POSITIVE_INFINITY)
  }
  return { events: read.flatMap(({ events }) => events).toSorted((a, b) => a.sequence - b.sequence), since }
}

/** The event from which on all changes of a kind (of any, if none is named) are known; 1 if those are all. */
export function completeSince({ since }: LoadedChanges, kind?: ChangeKind): number {
  const types = kind === undefined ? CHANGE_TYPES : eventTypes(kind)
  return Math.max(1, ...types.map((type) => since.get(type) ?? 1))
}

/**
 * The last change of a kind (of any, if none is named) at or before a place. `undefined`: there is none; `'unknown'`: not
 * among those that are known, and some were left out.
 */
export function lastChange(known: LoadedChanges, sequence: number, kind?: ChangeKind): number | undefined | 'unknown' {
  const found = known.events.findLast(
    (event) => event.sequence <= sequence && (kind === undefined || changeKinds(event).includes(kind)),
  )
  const since = completeSince(known, kind)
  if (found !== undefined && found.sequence >= since) return found.sequence
  return since > 1 ? 'unknown' : undefined
}

/** The first change behind a place; as {@link lastChange} says. */
export function nextChange(known: LoadedChanges, sequence: number): number | undefined | 'unknown' {
  if (sequence + 1 < completeSince(known)) return 'unknown'
  return known.events.find((event) => event.sequence > sequence)?.sequence
}
