import type { FindRequests, FoundRequest, Page, RequestStatus, RequestsQuery, SessionRequest } from '../../api.ts'
import { SessionNotFoundError, ValidationError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import { DEFAULT_PAGE, LIMITS } from '../../domain/limits.ts'
import { itemSize } from '../../domain/list-size.ts'
import { defined } from '../../domain/optional.ts'
import { endTime, isWithin } from '../../domain/record.ts'
import type { OpenRequest, RequestResolvedParts } from '../../domain/request.ts'
import { tenantFor } from '../kernel/access.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { moment, name, parse, sequence, uuid } from '../kernel/parse.ts'
import { findOpened, resolutionPages, resolvedRequest, shownOpen } from './history.ts'
import { findRequestsQuery, requestsQuery } from './schema.ts'

/** Sessions per read. */
const SESSIONS = 50
/** Sessions without a request to show that one page may read. */
const MAX_WITHOUT = 500

/** The place of a request in the list of its session. */
type Place = readonly ['open', openedAt: string, id: string] | readonly ['resolved', sequence: number]

/** The place of a request in the list of many sessions; without `place` the end of its session. */
interface FoundPlace {
  readonly requestsAt: string
  readonly id: string
  readonly place?: Place
}

/** An item of a list and its place; a place without an item is one where the list may pause. */
interface Step<Item, At> {
  readonly item?: Item
  readonly at: At
}

/** One page of the requests of a session: the open ones first, each newest first. */
export async function requestsOf(
  deps: Deps,
  sessionId: string,
  query: RequestsQuery = {},
): Promise<Page<SessionRequest>> {
  const { status, limit = DEFAULT_PAGE, cursor } = parse(requestsQuery, query)
  const after = cursor === undefined ? undefined : decodePlace(decode(cursor))
  const view = await deps.store.load(keyOf(deps, sessionId))
  if (view === undefined) throw new SessionNotFoundError(sessionId)
  return await pageOf(walkRequests(deps, view, { status, after, limit }), limit, encode)
}

/**
 * One page of the requests of many sessions: sessions with the newest change of a request first, in each the newest
 * request first. Open requests of sessions that have ended are left out, because nobody can resolve them.
 */
export async function findRequests(deps: Deps, query: FindRequests = {}): Promise<Page<FoundRequest>> {
  const { status = 'open', limit = DEFAULT_PAGE, cursor, tenant: wanted, ...named } = parse(findRequestsQuery, query)
  const tenant = tenantFor(deps, wanted)
  const userId = named.userId ?? deps.within?.userId
  if (!isWithin({ tenant, userId: userId ?? '' }, deps.within)) return { items: [] }
  const after = cursor === undefined ? undefined : decodeFound(decode(cursor))
  const steps = walkSessions(deps, defined({ tenant, userId }), { status, after, limit })
  return await pageOf(steps, limit, ({ requestsAt, id, place }) => encode([requestsAt, id, ...(place ?? [])]))
}

/** Takes one page of a list. */
async function pageOf<Item extends object, At>(
  steps: AsyncIterable<Step<Item, At>>,
  limit: number,
  cursorOf: (at: At) => string,
): Promise<Page<Item>> {
  const items: Item[] = []
  let size = 0
  let without = 0
  let last: At | undefined
  for await (const { item, at } of steps) {
    const isFull = items.length === limit || size >= LIMITS.pageSize
    if ((item !== undefined && isFull) || without >= MAX_WITHOUT) {
      return defined({ items, nextCursor: last && cursorOf(last) })
    }
    if (item === undefined) without++
    else {
      items.push(item)
      size += itemSize(item)
    }
    last = at
  }
  return { items }
}

interface Walk<At> {
  readonly status: RequestStatus | undefined
  readonly after: At | undefined
  /** Items that the caller needs at most. */
  readonly limit: number
}

async function* walkSessions(
  deps: Deps,
  owner: { tenant: string; userId?: string },
  { status, after, limit }: Walk<FoundPlace>,
): AsyncGenerator<Step<FoundRequest, FoundPlace>> {
  const at = now(deps)
  const query = { ...owner, status: status === 'open' ? 'open' : 'any', limit: SESSIONS } as const

  async function* ofSession({ place, ...session }: FoundPlace): AsyncGenerator<Step<FoundRequest, FoundPlace>> {
    const view = await deps.store.load(keyOf(deps, session.id))
    // purged meanwhile, or of nobody who is asked for
    if (view === undefined) return
    const { id: sessionId, userId } = view.record
    if (status === 'open' && endTime(view.record, at) !== undefined) return
    for await (const { item, at: reached } of walkRequests(deps, view, { status, after: place, limit })) {
      yield { ...(item !== undefined && { item: { ...item, sessionId, userId } }), at: { ...session, place: reached } }
    }
  }

  if (after?.place !== undefined) yield* ofSession(after)
  for (let cursor = after; ; ) {
    const sessions = await deps.store.asking({
      ...query,
      ...(cursor !== undefined && { cursor: { requestsAt: cursor.requestsAt, id: cursor.id } }),
    })
    for (const { sessionId: id, requestsAt } of sessions) {
      cursor = { requestsAt, id }
      yield* ofSession(cursor)
      yield { at: cursor }
    }
    if (sessions.length < SESSIONS) return
  }
}

async function* walkRequests(
  deps: Deps,
  view: SessionView,
  { status, after, limit }: Walk<Place>,
): AsyncGenerator<Step<SessionRequest, Place>> {
  if (status !== 'resolved' && after?.[0] !== 'resolved') {
    for (const request of openAfter(view.requests ?? [], after)) {
      yield { item: shownOpen(request), at: ['open', request.openedAt, request.id] }
    }
  }
  if (status !== 'open' && view.requestsAt !== undefined) {
    const before = after?.[0] === 'resolved' ? after[1] : undefined
    yield* walkResolved(deps, view, defined({ before, limit: Math.min(limit + 1, LIMITS.page) }))
  }
}

/** The open requests after a place, newest first. */
function openAfter(open: readonly OpenRequest[], after: Place | undefined): OpenRequest[] {
  const newest = open.toReversed()
  if (after?.[0] !== 'open') return newest
  const [, openedAt, id] = after
  const found = newest.findIndex((request) => request.id === id)
  // resolved meanwhile: rather one of the same time twice than one left out
  return found >= 0 ? newest.slice(found + 1) : newest.filter((request) => request.openedAt <= openedAt)
}

/** The resolved requests, the last resolved first. */
async function* walkResolved(
  deps: Deps,
  { record }: SessionView,
  range: { before?: number; limit: number },
): AsyncGenerator<Step<SessionRequest, Place>> {
  for await (const page of resolutionPages(deps, record, range)) {
    const ids = page.map(({ parts }) => (parts as unknown as RequestResolvedParts).id)
    const opened = await findOpened(deps, record, ids, page[0]?.sequence ?? 0)
    for (const [i, event] of page.entries()) {
      const request = opened.get(ids[i] ?? '')
      if (request !== undefined) yield { item: resolvedRequest(request, event), at: ['resolved', event.sequence] }
    }
  }
}

function encode(place: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(place)).toString('base64url')
}

function decode(cursor: string): unknown[] {
  try {
    const place = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    if (Array.isArray(place)) return place
  } catch {
    // refused below
  }
  throw wrongCursor()
}

function decodePlace([status, ...rest]: readonly unknown[]): Place {
  try {
    if (status === 'open') return ['open', parse(moment, rest[0]), parse(name, rest[1])]
    if (status === 'resolved') return ['resolved', parse(sequence, rest[0])]
  } catch (cause) {
    throw wrongCursor(cause)
  }
  throw wrongCursor()
}

function decodeFound([requestsAt, id, ...place]: readonly unknown[]): FoundPlace {
  try {
    const session = { requestsAt: parse(moment, requestsAt), id: parse(uuid, id) }
    return place.length === 0 ? session : { ...session, place: decodePlace(place) }
  } catch (cause) {
    throw wrongCursor(cause)
  }
}

function wrongCursor(cause?: unknown): ValidationError {
  return new ValidationError('cursor', 'must be the nextCursor of an earlier page', { cause })
}
