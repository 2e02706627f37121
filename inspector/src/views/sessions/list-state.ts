import type { SessionRecord } from '../../api/types.ts'

/** Loaded sessions and the order in which they are shown. */
export interface ListState {
  readonly known: ReadonlyMap<string, SessionRecord>
  readonly order: readonly string[]
  /** Ids of changed sessions that wait to move, because rows may not move now. */
  readonly waiting: ReadonlySet<string>
}

/** Whether a session belongs to the list. */
export type Fits = (record: SessionRecord) => boolean

export const EMPTY_LIST: ListState = { known: new Map(), order: [], waiting: new Set() }

/** Adds the next page of older sessions. One that is listed already stays where it is. */
export function withPage({ known, order, waiting }: ListState, page: readonly SessionRecord[]): ListState {
  const fresh = page.filter(({ id }) => !known.has(id))
  return { known: updated(known, page), order: [...order, ...fresh.map(({ id }) => id)], waiting }
}

/**
 * Adds changed records at once. Rows move to their places only if they may; otherwise they wait. Returns the same
 * object if nothing is new.
 */
export function withChanges(
  listed: ListState,
  changes: readonly SessionRecord[],
  fits: Fits,
  mayMove: boolean,
): ListState {
  const news = changes.filter((record) => {
    const before = listed.known.get(record.id)
    return before === undefined ? fits(record) : isNewer(record, before)
  })
  if (news.length === 0) return mayMove && listed.waiting.size > 0 ? settled(listed, fits) : listed
  const known = updated(listed.known, news)
  if (mayMove) return settled({ ...listed, known }, fits)
  const next = { known, order: listed.order, waiting: new Set([...listed.waiting, ...news.map(({ id }) => id)]) }
  return isSame(orderOf(known, fits), listed.order) ? { ...next, waiting: new Set() } : next
}

/** Moves every row to its place, newest activity first, and drops rows that no longer match. */
export function settled({ known }: ListState, fits: Fits): ListState {
  const order = orderOf(known, fits)
  return { known: new Map(order.map((id) => [id, known.get(id) as SessionRecord])), order, waiting: new Set() }
}

/** Drops sessions that should be on the first page, by their activity, but are not. `isAll`: there is no other page. */
export function withoutMissing(listed: ListState, firstPage: readonly SessionRecord[], isAll: boolean): ListState {
  const here = new Set(firstPage.map(({ id }) => id))
  const oldest = isAll ? '' : (firstPage.at(-1)?.lastActivityAt ?? '')
  const isGone = ({ id, lastActivityAt }: SessionRecord) => lastActivityAt > oldest && !here.has(id)
  const gone = new Set([...listed.known.values()].filter(isGone).map(({ id }) => id))
  if (gone.size === 0) return listed
  return {
    known: new Map([...listed.known].filter(([id]) => !gone.has(id))),
    order: listed.order.filter((id) => !gone.has(id)),
    waiting: new Set([...listed.waiting].filter((id) => !gone.has(id))),
  }
}

/** Whether a page has anything new: activity after `seen`, or a longer log. */
export function hasNews(page: readonly SessionRecord[], known: ListState['known'], seen: string): boolean {
  return page.some((record) => {
    const before = known.get(record.id)
    return before === undefined ? record.lastActivityAt > seen : isNewer(record, before)
  })
}

/** Newest activity among the records. */
export function newestActivity(records: Iterable<SessionRecord>): string | undefined {
  let newest: string | undefined
  for (const { lastActivityAt } of records) if (newest === undefined || lastActivityAt > newest) newest = lastActivityAt
  return newest
}

function orderOf(known: ReadonlyMap<string, SessionRecord>, fits: Fits): string[] {
  return [...known.values()]
    .filter(fits)
    .sort((a, b) => compare(b.lastActivityAt, a.lastActivityAt) || compare(b.id, a.id))
    .map(({ id }) => id)
}

// not localeCompare: times and ids are ASCII, and there may be 20,000 of them
const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function updated(known: ReadonlyMap<string, SessionRecord>, records: readonly SessionRecord[]) {
  const next = new Map(known)
  for (const record of records) {
    const before = next.get(record.id)
    if (before === undefined || isNewer(record, before)) next.set(record.id, record)
  }
  return next
}

/** Responses may arrive out of order: only a longer log is newer. */
const isNewer = (record: SessionRecord, before: SessionRecord) => record.head > before.head

const isSame = (a: readonly string[], b: readonly string[]) => a.length === b.length && a.every((id, i) => id === b[i])
