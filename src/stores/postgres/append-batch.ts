import { countTurns } from '../../domain/event.ts'
import { bytesOfAll } from '../../domain/event-size.ts'
import { FairLines } from '../../domain/fair-lines.ts'
import type { AppendRequest, NewEvent } from '../../ports/session-store.ts'
import type { ElementType } from './arrays.ts'
import { eventColumns, eventValues, MAX_INT, ownerOf } from './rows.ts'
import { minuteOf } from './times.ts'

/** Most appends in one batch. */
const MAX_APPENDS = 256
/** Most events in one batch, unless a single append has more. Every other append waits until the batch is written. */
const MAX_EVENTS = 256

/** An append that waits for its batch. */
export interface PendingAppend {
  request: AppendRequest
  /** Where its session is. */
  partition: number
  /** Whether it gets a batch of its own, because a shared one failed as a whole. */
  isAlone?: boolean
}

/** The appends of one batch to one session, in order. */
export interface Group<Item extends PendingAppend> {
  sessionId: string
  partition: number
  tenant: string | null
  userId: string | null
  items: Item[]
  /** The head that the session must be at. */
  expected: number | undefined
  /** The generation that the live run must have. */
  run: number | undefined
}

/**
 * Removes the appends of the next batch from the queue. In one batch a session has one owner and each key once,
 * appends of one run or of none, and an append with an expected sequence is the only one of its session. An append that
 * does not fit stays in the queue, with all later ones to the same session. So do those to `held` sessions. Where not
 * all fit, users take turns.
 */
export function takeBatch<Item extends PendingAppend>(
  pending: Item[],
  held: ReadonlySet<string> = new Set(),
): Group<Item>[] {
  const alone = pending.findIndex(({ isAlone, request }) => isAlone === true && !held.has(request.sessionId))
  if (alone >= 0) return pending.splice(alone, 1).map(groupOf)
  const groups = new Map<string, Group<Item>>()
  const taken = new Set<Item>()
  const blocked = new Set(held)
  let events = 0
  for (const item of inTurns(pending)) {
    const { sessionId, events: added } = item.request
    const group = groups.get(sessionId)
    const isFull = taken.size === MAX_APPENDS || (taken.size > 0 && events + added.length > MAX_EVENTS)
    if (isFull || blocked.has(sessionId) || (group !== undefined && !fits(group, item))) {
      blocked.add(sessionId)
      continue
    }
    if (group === undefined) groups.set(sessionId, groupOf(item))
    else group.items.push(item)
    taken.add(item)
    events += added.length
  }
  pending.splice(0, pending.length, ...pending.filter((item) => !taken.has(item)))
  // every process locks sessions in this order, so batches cannot deadlock
  return Array.from(groups.values()).sort((a, b) => compare(a.tenant, b.tenant) || compare(a.sessionId, b.sessionId))
}

/** In the order of arrival if all fit; otherwise of each partition, and so each user, one in turn. */
function inTurns<Item extends PendingAppend>(pending: readonly Item[]): Iterable<Item> {
  const events = pending.reduce((sum, { request }) => sum + request.events.length, 0)
  if (pending.length <= MAX_APPENDS && events <= MAX_EVENTS) return pending
  const lines = new FairLines<Item>()
  for (const item of pending) lines.add(item, [item.partition, item.request.sessionId])
  return Array.from(pending, () => lines.next() as Item)
}

function groupOf<Item extends PendingAppend>(item: Item): Group<Item> {
  const { sessionId, expectedSequence: expected, run } = item.request
  const [tenant, userId] = ownerOf(item.request)
  return { sessionId, partition: item.partition, tenant, userId, items: [item], expected, run }
}

function fits<Item extends PendingAppend>(group: Group<Item>, { request, partition }: Item): boolean {
  const [tenant, userId] = ownerOf(request)
  if (tenant !== group.tenant || userId !== group.userId || partition !== group.partition) return false
  if (group.expected !== undefined || request.expectedSequence !== undefined || group.run !== request.run) return false
  const key = request.idempotency?.key
  return key === undefined || group.items.every((other) => other.request.idempotency?.key !== key)
}

/** Unrestricted callers (null tenant) sort first. */
function compare(a: string | null, b: string | null): number {
  if (a === b) return 0
  if (a === null) return -1
  return b === null || a > b ? 1 : -1
}

/** An append with an idempotency key. */
export interface KeyedAppend<Item> {
  /** Index of its session in the batch, from 1. */
  session: number
  item: Item
  /** Place of its first event among those of the session, from 1. */
  place: number
}

/** The appends with a key, in batch order. */
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

/** Null for an array of nulls, which would take as long to write and read as one of values. */
function nullIfEmpty(column: readonly unknown[]): readonly unknown[] | null {
  return column.every((value) => value === null) ? null : column
}

/** Element types of the parameters of `append_events`, all arrays but the first. */
export const BATCH_TYPES: readonly ElementType[] = [
  ...(['smallint', 'smallint', 'uuid', 'text', 'text', 'integer', 'integer', 'integer'] as const),
  ...(['timestamptz', 'integer'] as const),
  ...(['integer', 'text', 'integer', 'timestamptz'] as const),
  ...(['integer', 'text', 'text', 'integer', 'integer'] as const),
  ...(['integer', 'integer', 'timestamptz', 'uuid', 'text', 'text', 'text', 'json', 'text', 'text', 'bytea'] as const),
]

/** The parameters of `append_events`. */
export function batchColumns<Item extends PendingAppend>(
  groups: readonly Group<Item>[],
  keyed: readonly KeyedAppend<Item>[],
): unknown[] {
  const events = groups.map(({ items }) => items.flatMap(({ request }) => request.events))
  const requests = groups.flatMap(({ items }) => items.map(({ request }) => request))
  const times = groups.map(({ items }) => items.at(-1)?.request.at ?? '')
  return [
    groups[0]?.partition,
    groups.map(({ partition }) => partition),
    groups.map(({ sessionId }) => sessionId),
    nullIfEmpty(groups.map(({ tenant }) => tenant)),
    nullIfEmpty(groups.map(({ userId }) => userId)),
    events.map(({ length }) => length),
    events.map(countTurns),
    events.map(bytesOfAll),
    times,
    times.map(minuteOf),
    nullIfEmpty(groups.map(({ expected }) => (expected === undefined ? null : Math.min(expected, MAX_INT)))),
    nullIfEmpty(events.map(commonType)),
    nullIfEmpty(groups.map(({ run }) => run ?? null)),
    nullIfEmpty(groups.map(firstMessageAt)),
    keyed.map(({ session }) => session),
    keyed.map(({ item }) => item.request.idempotency?.key),
    keyed.map(({ item }) => item.request.idempotency?.fingerprint),
    keyed.map(({ place }) => place),
    keyed.map(({ item }) => item.request.events.length),
    events.flatMap((some, i) => some.map(() => i + 1)),
    events.flatMap((some) => some.map((_, i) => i + 1)),
    // null if each session has one append: the event times are then those of the sessions
    requests.length === groups.length ? null : requests.flatMap((request) => request.events.map(() => request.at)),
    ...eventColumns(events.flat()).map(nullIfEmpty),
  ]
}

/** The time of the first append with a user message; null if there is none. */
function firstMessageAt({ items }: Group<PendingAppend>): string | null {
  const times = items.flatMap(({ request }) => (countTurns(request.events) > 0 ? [request.at] : []))
  return times.sort()[0] ?? null
}

/** The common type of the events; null if they differ. */
function commonType([first, ...more]: readonly NewEvent[]): string | null {
  return first !== undefined && more.every(({ type }) => type === first.type) ? first.type : null
}

/** The parameters of `append_event` if the batch is a single event without conditions, otherwise `undefined`. */
export function singleColumns<Item extends PendingAppend>([group, more]: readonly Group<Item>[]):
  | unknown[]
  | undefined {
  const [item, other] = group?.items ?? []
  if (group === undefined || item === undefined || more !== undefined || other !== undefined) return undefined
  const { events, at, idempotency, expectedSequence } = item.request
  const [event] = events
  if (event === undefined || events.length > 1 || idempotency !== undefined || expectedSequence !== undefined)
    return undefined
  const { partition, sessionId, tenant, userId, run = null } = group
  const counts = [countTurns(events), bytesOfAll(events)]
  return [partition, sessionId, tenant, userId, ...counts, at, minuteOf(at), run, ...eventValues(event)]
}
