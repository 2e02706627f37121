import type { ListSessions, Page } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import { hasMembers, type LabelValue, labelOf } from '../../domain/label.ts'
import { DEFAULT_PAGE, LIMITS } from '../../domain/limits.ts'
import { isEndOfList, itemSize } from '../../domain/list-size.ts'
import { defined } from '../../domain/optional.ts'
import { isWithin, type SessionRecord } from '../../domain/record.ts'
import type { ListQuery } from '../../ports/session-store.ts'
import { tenantFor } from '../kernel/access.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { moment, parse, uuid } from '../kernel/parse.ts'
import { listSessions } from './schema.ts'

/** Sessions that an index lookup by metadata may return; if more have it, the list is read and filtered. */
const MAX_CANDIDATES = 1000
/** Sessions to read for one page of a list filtered by metadata. */
const MAX_SCANNED = 5000

/** One page of sessions, newest activity first. */
export async function findSessions(deps: Deps, query: ListSessions = {}): Promise<Page<SessionRecord>> {
  const {
    status: state,
    cursor,
    limit = DEFAULT_PAGE,
    tenant: wanted,
    metadata,
    ...filters
  } = parse(listSessions, query)
  const tenant = tenantFor(deps, wanted)
  const userId = await ownerIn(deps, tenant, filters)
  if (userId === null) return { items: [] }
  if (deps.within !== undefined && !isWithin({ tenant, userId: userId ?? '' }, deps.within)) return { items: [] }
  const given = { ...filters, tenant, userId, state, cursor: cursor === undefined ? undefined : decodeCursor(cursor) }
  const list = defined(given) as Omit<ListQuery, 'limit'>
  if (metadata !== undefined) return await findWith(deps, list, metadata, limit)
  // one more than requested tells whether there is another page
  const records = await deps.store.list({ ...list, limit: limit + 1 })
  const items = records.slice(0, limit)
  const last = items.at(-1)
  return isEndOfList(records, limit + 1) || last === undefined ? { items } : { items, nextCursor: encodeCursor(last) }
}

/** The user to list: children belong to the owner of their parent. Null: nobody, so the list is empty. */
async function ownerIn(
  deps: Deps,
  tenant: string,
  { userId: named, parent }: { userId?: string | undefined; parent?: string | undefined },
): Promise<string | null | undefined> {
  const userId = named ?? deps.within?.userId
  if (parent === undefined || userId !== undefined) return userId
  const record = await deps.store.record(keyOf(deps, parent))
  return record?.tenant === tenant ? record.userId : null
}

/** A page of the sessions with these members. It may end before `limit`, because it reads a bounded number of them. */
async function findWith(
  deps: Deps,
  list: Omit<ListQuery, 'limit'>,
  members: Readonly<Record<string, LabelValue>>,
  limit: number,
): Promise<Page<SessionRecord>> {
  const ids = await candidates(deps, list, members)
  if (ids?.length === 0) return { items: [] }
  const items: SessionRecord[] = []
  let cursor = list.cursor
  for (let scanned = 0, size = 0; scanned < MAX_SCANNED; ) {
    const records = await deps.store.list(defined({ ...list, ids, cursor, limit: LIMITS.page }) as ListQuery)
    for (const record of records) {
      cursor = { lastActivityAt: record.lastActivityAt, id: record.id }
      if (!hasMembers(record.metadata, members)) continue
      items.push(record)
      size += itemSize(record)
      if (items.length === limit || size >= LIMITS.pageSize) return { items, nextCursor: encodeCursor(cursor) }
    }
    if (isEndOfList(records, LIMITS.page)) return { items }
    scanned += records.length
  }
  return defined({ items, nextCursor: cursor && encodeCursor(cursor) })
}

/** Ids of all sessions with one of the members, if the index finds few; else `undefined`. */
async function candidates(
  { store }: Deps,
  { tenant, userId }: Pick<ListQuery, 'tenant' | 'userId'>,
  members: Readonly<Record<string, LabelValue>>,
): Promise<string[] | undefined> {
  for (const [name, value] of Object.entries(members)) {
    const query = { tenant, userId, label: labelOf(name, value), limit: MAX_CANDIDATES + 1 }
    const ids = await store.labelled(defined(query))
    if (ids.length <= MAX_CANDIDATES) return ids
  }
  return undefined
}

function encodeCursor({ lastActivityAt, id }: Pick<SessionRecord, 'lastActivityAt' | 'id'>): string {
  return Buffer.from(JSON.stringify([lastActivityAt, id])).toString('base64url')
}

function decodeCursor(cursor: string): { lastActivityAt: string; id: string } {
  try {
    const [lastActivityAt, id] = JSON.parse(Buffer.from(cursor, 'base64url').toString()) as unknown[]
    return { lastActivityAt: parse(moment, lastActivityAt), id: parse(uuid, id) }
  } catch (cause) {
    throw new ValidationError('cursor', 'must be the nextCursor of an earlier page', { cause })
  }
}
