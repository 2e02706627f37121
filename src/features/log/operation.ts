import type { EventsQuery, RecentOptions, Snapshot } from '../../api.ts'
import { SessionNotFoundError, ValidationError } from '../../domain/errors.ts'
import { type SessionEvent, turnsIn } from '../../domain/event.ts'
import { begin, evolve, type SessionView } from '../../domain/fold.ts'
import { DEFAULT_PAGE, LIMITS } from '../../domain/limits.ts'
import { type Window, windowBuilder } from '../../domain/window.ts'
import { type Deps, keyOf } from '../deps.ts'
import { sessionEvent } from '../events.ts'
import { parse } from '../parse.ts'
import { eventsQuery, recentOptions } from './schema.ts'

/** Rows per read where the caller did not say: a window of 30 short turns fits into one. */
const CHUNK = 200

/** One page of the log. */
export async function readEvents(deps: Deps, sessionId: string, query: EventsQuery = {}): Promise<SessionEvent[]> {
  const { after, before, types, order = 'asc', limit = DEFAULT_PAGE } = parse(eventsQuery, query)
  const stored = await deps.store.read(keyOf(deps, sessionId), {
    order,
    limit,
    ...(after !== undefined && { after }),
    ...(before !== undefined && { before }),
    ...(types !== undefined && { types }),
  })
  return stored.map((event) => sessionEvent(sessionId, event))
}

/** The last turns. Reads backwards from the end and stops where the window does, however long the log is. */
export async function recentEvents(deps: Deps, sessionId: string, options: RecentOptions = {}): Promise<Window> {
  const { maxTurns = 30, maxTokens } = parse(recentOptions, options)
  const tokenizer = maxTokens === undefined ? undefined : await deps.tokenizer()
  const window = windowBuilder(tokenizer && { maxTokens: maxTokens ?? 0, count: (text) => tokenizer.count(text) })
  let turns = maxTurns
  for (let before: number | undefined; ; ) {
    const query = { turns, order: 'desc', limit: CHUNK } as const
    const chunk = await deps.store.read(keyOf(deps, sessionId), before === undefined ? query : { ...query, before })
    for (const stored of chunk) {
      if (!window.add(sessionEvent(sessionId, stored))) return window.finish(false)
      before = stored.sequence
    }
    turns -= turnsIn(chunk)
    if (chunk.length < CHUNK || turns === 0) return window.finish(true)
  }
}

/** The whole log up to `last`, in order, a page at a time. */
export async function* walkLog(
  deps: Deps,
  sessionId: string,
  last = Number.MAX_SAFE_INTEGER,
  after = 0,
): AsyncGenerator<SessionEvent[]> {
  for (let seen = after; seen < last; ) {
    const page = await deps.store.read(keyOf(deps, sessionId), {
      after: seen,
      before: last + 1,
      order: 'asc',
      limit: LIMITS.page,
    })
    const end = page.at(-1)
    if (end === undefined) return
    yield page.map((event) => sessionEvent(sessionId, event))
    seen = end.sequence
  }
}

/** The views as they were right after an event. */
export async function viewAt(deps: Deps, sessionId: string, sequence: number): Promise<SessionView> {
  const present = await deps.store.load(keyOf(deps, sessionId))
  if (present === undefined) throw new SessionNotFoundError(sessionId)
  const { head } = present.record
  if (!Number.isInteger(sequence) || sequence < 1 || sequence > head) {
    throw new ValidationError('sequence', `must be a whole number from 1 to ${head}, the last event of the session`)
  }
  if (sequence === head) return present
  let view: SessionView | undefined
  for await (const page of walkLog(deps, sessionId, sequence)) {
    for (const event of page) view = view === undefined ? begin(event) : evolve(view, event)
  }
  return view as SessionView
}

/** What a caller gets of {@link viewAt}. */
export async function snapshotAt(deps: Deps, sessionId: string, sequence: number): Promise<Snapshot> {
  const { record, state } = await viewAt(deps, sessionId, sequence)
  return { sequence, record, state }
}
