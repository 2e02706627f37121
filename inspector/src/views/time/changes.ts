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

/** Event types that change more than the log. */
export const CHANGE_TYPES: readonly string[] = Object.keys(KINDS_BY_TYPE)

/** Each type once, under its first kind, in the order of {@link CHANGE_KINDS}: the types loaded together. */
export const TYPES_BY_KIND: readonly (readonly string[])[] = CHANGE_KINDS.map((kind) =>
  CHANGE_TYPES.filter((type) => KINDS_BY_TYPE[type]?.[0] === kind),
)

/** Event types that may change a kind. */
export const eventTypes = (kind: ChangeKind): string[] =>
  CHANGE_TYPES.filter(
    (type) => KINDS_BY_TYPE[type]?.includes(kind) || (kind === 'scratchpad' && type === 'agent_transition'),
  )

/** The kinds that an event changes. A handoff also leaves its context in the scratchpad. */
export function changeKinds({ type, parts }: Pick<SessionEvent, 'type' | 'parts'>): readonly ChangeKind[] {
  return type === 'agent_transition' && hasContext(parts) ? ['agent', 'scratchpad'] : (KINDS_BY_TYPE[type] ?? [])
}

function hasContext(parts: Json | undefined): boolean {
  return typeof parts === 'object' && parts !== null && 'context' in parts
}

/** One or more changes too close to draw apart. */
export interface Mark {
  /** The last of the changes. */
  readonly sequence: number
  readonly count: number
  /** Position on the slider, 0 to 1. */
  readonly share: number
}

/** Marks of one kind. */
export interface MarkRow {
  readonly kind: ChangeKind
  readonly count: number
  readonly marks: readonly Mark[]
}

/** One row per kind that occurs, with at most `max` marks. */
export function buildMarkRows(events: readonly SessionEvent[], head: number, max = 200): MarkRow[] {
  const rows = new Map<ChangeKind, Map<number, Mark>>()
  for (const event of events) {
    const share = head <= 1 ? 0 : (event.sequence - 1) / (head - 1)
    const bucket = Math.min(max - 1, Math.floor(share * max))
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

/** The changes loaded so far. */
export interface LoadedChanges {
  readonly events: readonly SessionEvent[]
  /** For types with older changes not loaded: the event from which on all are loaded. */
  readonly since: ReadonlyMap<string, number>
}

/** Merges what was loaded for each of {@link TYPES_BY_KIND}, in that order. */
export function mergeChanges(
  read: readonly { readonly events: readonly SessionEvent[]; readonly hasMore: boolean }[],
): LoadedChanges {
  const since = new Map<string, number>()
  for (const [i, { events, hasMore }] of read.entries()) {
    if (!hasMore) continue
    for (const type of TYPES_BY_KIND[i] ?? []) since.set(type, events[0]?.sequence ?? Number.POSITIVE_INFINITY)
  }
  return { events: read.flatMap(({ events }) => events).toSorted((a, b) => a.sequence - b.sequence), since }
}

/** The event from which on all changes of a kind (default: any) are loaded; 1 if all are. */
export function completeSince({ since }: LoadedChanges, kind?: ChangeKind): number {
  const types = kind === undefined ? CHANGE_TYPES : eventTypes(kind)
  return Math.max(1, ...types.map((type) => since.get(type) ?? 1))
}

/** The last change of a kind (default: any) up to an event; `undefined` if there is none, `'unknown'` if not loaded. */
export function lastChange(known: LoadedChanges, sequence: number, kind?: ChangeKind): number | undefined | 'unknown' {
  const found = known.events.findLast(
    (event) => event.sequence <= sequence && (kind === undefined || changeKinds(event).includes(kind)),
  )
  const since = completeSince(known, kind)
  if (found !== undefined && found.sequence >= since) return found.sequence
  return since > 1 ? 'unknown' : undefined
}

/** The first change after an event, as in {@link lastChange}. */
export function nextChange(known: LoadedChanges, sequence: number): number | undefined | 'unknown' {
  if (sequence + 1 < completeSince(known)) return 'unknown'
  return known.events.find((event) => event.sequence > sequence)?.sequence
}
