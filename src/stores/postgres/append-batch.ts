import { countTurns } from '../../domain/event.ts'
import type { AppendRequest, NewEvent } from '../../ports/session-store.ts'
import type { ElementType } from './arrays.ts'
import { eventColumns, eventValues, ownerOf } from './rows.ts'

/** Appends in one call at most. */
const MOST = 256

/** An append that waits for its call. */
export interface PendingAppend {
  request: AppendRequest
  /** Sent in a call of its own, after a call that it shared was refused as a whole. */
  isAlone?: boolean
}

/** The appends of one call to one session, in their order. */
export interface Group<Item extends PendingAppend> {
  sessionId: string
  tenant: string | null
  userId: string | null
  items: Item[]
  /** The head that the session must have. */
  expected: number | undefined
}

/**
 * Takes from what waits the appends of the next call. In one call a session has one owner and each key once, and an append that
 * expects a sequence has the session for itself; what does not fit waits on, and all that comes after it for the same session.
 */
export function takeBatch<Item extends PendingAppend>(waiting: Item[]): Group<Item>[] {
  const lone = waiting.findIndex(({ isAlone: alone }) => alone === true)
  if (lone >= 0) return waiting.splice(lone, 1).map(groupOf)
  const groups = new Map<string, Group<Item>>()
  const left: Item[] = []
  const held = new Set<string>()
  let taken = 0
  for (const item of waiting) {
    const { sessionId } = item.request
    const group = groups.get(sessionId)
    if (taken === MOST || held.has(sessionId) || (group !== undefined && !fits(group, item))) {
      left.push(item)
      held.add(sessionId)
      continue
    }
    if (group === undefined) groups.set(sessionId, groupOf(item))
    else group.items.push(item)
    taken++
  }
  waiting.splice(0, waiting.length, ...left)
  // in one order everywhere, so that two processes never wait for each other's sessions
  return Array.from(groups.values()).sort((a, b) => compare(a.tenant, b.tenant) || compare(a.sessionId, b.sessionId))
}

function groupOf<Item extends PendingAppend>(item: Item): Group<Item> {
  const { sessionId, expectedSequence } = item.request
  const [tenant, userId] = ownerOf(item.request)
  return { sessionId, tenant, userId, items: [item], expected: expectedSequence }
}

function fits<Item extends PendingAppend>(group: Group<Item>, { request }: Item): boolean {
  const [tenant, userId] = ownerOf(request)
  if (tenant !== group.tenant || userId !== group.userId) return false
  if (group.expected !== undefined || request.expectedSequence !== undefined) return false
  const key = request.idempotency?.key
  return key === undefined || group.items.every((other) => other.request.idempotency?.key !== key)
}

/** Whose are everyone's come first. */
function compare(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null) return -1
  return b === null || a > b ? 1 : -1
}

/** An append with a key, and where it stands. */
export interface KeyedAppend<Item> {
  /** Number of the session, from 1. */
  session: number
  item: Item
  /** Place of its first event in what the session gets, from 1. */
  place: number
}

/** The appends with a key, in the order in which the call has them. */
export function keyedAppends<Item extends PendingAppend>(groups: readonly Group<Item>[]): KeyedAppend<Item>[] {
  const keyed: KeyedAppend<Item>[] = []
  groups.forEach(({ items }, i) => {
    let place = 1
    for (const item of items) {
      if (item.request.idempotency !== undefined) keyed.push({ session: i + 1, item, place })
      place += item.request.events.length
    }
  })
  return keyed
}

/** No log gets so far: beyond it any number conflicts alike. */
const LAST = 2 ** 31 - 1

/** To write and read an array of nulls takes as long as one of values. */
function unlessEmpty(column: readonly unknown[]): readonly unknown[] | null {
  return column.every((value) => value === null) ? null : column
}

/** Types of the parameters of `append_events`, which are all arrays. */
export const BATCH_TYPES: readonly ElementType[] = [
  ...(['uuid', 'text', 'text', 'integer', 'integer', 'timestamptz', 'integer', 'text'] as const),
  ...(['integer', 'text', 'text', 'integer', 'integer'] as const),
  ...(['integer', 'integer', 'timestamptz', 'uuid', 'text', 'text', 'text', 'json', 'text', 'text'] as const),
]

/** The parameters of `append_events`. */
export function batchColumns<Item extends PendingAppend>(
  groups: readonly Group<Item>[],
  keyed: readonly KeyedAppend<Item>[],
): unknown[] {
  const events = groups.map(({ items }) => items.flatMap(({ request }) => request.events))
  const requests = groups.flatMap(({ items }) => items.map(({ request }) => request))
  return [
    groups.map(({ sessionId }) => sessionId),
    unlessEmpty(groups.map(({ tenant }) => tenant)),
    unlessEmpty(groups.map(({ userId }) => userId)),
    events.map(({ length }) => length),
    events.map(countTurns),
    groups.map(({ items }) => items.at(-1)?.request.at),
    unlessEmpty(groups.map(({ expected }) => (expected === undefined ? null : Math.min(expected, LAST)))),
    unlessEmpty(events.map(typeOf)),
    keyed.map(({ session }) => session),
    keyed.map(({ item }) => item.request.idempotency?.key),
    keyed.map(({ item }) => item.request.idempotency?.fingerprint),
    keyed.map(({ place }) => place),
    keyed.map(({ item }) => item.request.events.length),
    events.flatMap((some, i) => some.map(() => i + 1)),
    events.flatMap((some) => some.map((_, i) => i + 1)),
    // where each session has one append, its time is that of the session
    requests.length === groups.length ? null : requests.flatMap((request) => request.events.map(() => request.at)),
    ...eventColumns(events.flat()).map(unlessEmpty),
  ]
}

/** The type that all of them have. */
function typeOf([first, ...more]: readonly NewEvent[]): string | null {
  return first !== undefined && more.every(({ type }) => type === first.type) ? first.type : null
}

/** The parameters of `append_event`, for a single event without conditions; else nothing. */
export function singleColumns<Item extends PendingAppend>([group, more]: readonly Group<Item>[]):
  | unknown[]
  | undefined {
  const [item, other] = group?.items ?? []
  if (group === undefined || item === undefined || more !== undefined || other !== undefined) return undefined
  const { events, at, idempotency, expectedSequence } = item.request
  const [event] = events
  if (event === undefined || events.length > 1 || idempotency !== undefined || expectedSequence !== undefined)
    return undefined
  const { sessionId, tenant, userId } = group
  return [sessionId, tenant, userId, countTurns(events), at, ...eventValues(event)]
}
