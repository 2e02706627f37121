import type { SessionRequest } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { isLastPage } from '../../domain/event-size.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import type { SessionRecord } from '../../domain/record.ts'
import type { OpenRequest, RequestOpenedParts, RequestResolvedParts } from '../../domain/request.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { readPages } from '../kernel/history.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { sessionEvent } from '../kernel/stored-event.ts'

/** An open request as callers see it. */
export function shownOpen(request: OpenRequest): SessionRequest {
  const { openedAt, ...given } = request
  return { ...given, status: 'open', openedAt }
}

/** The request that an event opened. */
export function openedRequest(event: SessionEvent): SessionRequest {
  return shownOpen(openRequestOf(event))
}

/** The request that an event resolved. */
export function resolvedRequest({ openedAt, ...given }: OpenRequest, resolved: SessionEvent): SessionRequest {
  const { value } = resolved.parts as unknown as RequestResolvedParts
  return { ...given, status: 'resolved', openedAt, resolvedAt: resolved.createdAt, value }
}

function openRequestOf({ parts, content: question, createdAt: openedAt }: SessionEvent): OpenRequest {
  return { ...(parts as unknown as RequestOpenedParts), question, openedAt }
}

/** What is read of a record here. */
type Forkable = Pick<SessionRecord, 'id' | 'forkedFrom'>

/** Sequence before the first request: a fork starts without those of its source. */
function startOf({ forkedFrom }: Forkable): number {
  return forkedFrom?.sequence ?? 0
}

interface Range {
  /** Exclusive. */
  readonly after?: number
  /** Exclusive. */
  readonly before?: number
  /** Events on a page. */
  readonly limit?: number
}

/** The events that resolved requests, newest first, page by page. */
export async function* resolutionPages(
  deps: Deps,
  record: Forkable,
  { after = 0, before, limit = LIMITS.page }: Range = {},
): AsyncGenerator<SessionEvent[]> {
  const query = {
    after: Math.max(after, startOf(record)),
    types: ['request_resolved'],
    order: 'desc',
    limit,
    line: true,
  } as const
  for (let end = before; ; ) {
    const page = await deps.store.read(keyOf(deps, record.id), { ...query, ...defined({ before: end }) })
    const last = page.at(-1)
    if (last === undefined) return
    yield page.map((event) => sessionEvent(record.id, event))
    if (isLastPage(page, limit)) return
    end = last.sequence
    await nextTurn()
  }
}

/** The events that opened these requests, by their ids. */
export async function findOpened(
  deps: Deps,
  record: Forkable,
  ids: readonly string[],
  before: number,
): Promise<Map<string, OpenRequest>> {
  const missing = new Set(ids)
  const found = new Map<string, OpenRequest>()
  const range = { after: startOf(record), before, types: ['request_opened'], order: 'desc', line: true } as const
  for await (const page of readPages(deps, keyOf(deps, record.id), range)) {
    for (const stored of page) {
      const request = openRequestOf(sessionEvent(record.id, stored))
      if (missing.delete(request.id)) found.set(request.id, request)
    }
    if (missing.size === 0) break
  }
  return found
}
