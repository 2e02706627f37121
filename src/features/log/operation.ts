import type { EventsQuery, RecentOptions, Snapshot } from '../../api.ts'
import { countTurns, isConversationType, type SessionEvent } from '../../domain/event.ts'
import { isLastPage, sizeOf } from '../../domain/event-size.ts'
import { DEFAULT_PAGE, LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { tokensOf, type Window, windowBuilder } from '../../domain/window.ts'
import { envelopeIn } from '../envelope/operation.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { viewAt } from '../kernel/history.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { parse } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { tokenCounter } from '../kernel/token-count.ts'
import { eventsQuery, recentOptions } from './schema.ts'

export { appendEvents } from './append.ts'
export { usageInput } from './schema.ts'

/** Rows per read by default: a window of 30 short turns fits into one read. */
const CHUNK = 200

/** One page of the log. */
export async function readEvents(deps: Deps, sessionId: string, query: EventsQuery = {}): Promise<SessionEvent[]> {
  const { after, before, types, order = 'asc', limit = DEFAULT_PAGE } = parse(eventsQuery, query)
  const stored = await deps.store.read(keyOf(deps, sessionId), defined({ order, limit, after, before, types }))
  return stored.map((event) => sessionEvent(sessionId, event))
}

/**
 * The last turns, as far as they fit into `LIMITS.windowSize`. Reads backwards from the end and stops where the window
 * ends, however long the log is. Events that `isIn` excludes are skipped and cost nothing.
 */
export async function recentEvents(
  deps: Deps,
  sessionId: string,
  options: RecentOptions = {},
  isIn: (type: string) => boolean = () => true,
): Promise<Window> {
  const { maxTurns = 30, maxTokens } = parse(recentOptions, options)
  const count = maxTokens === undefined ? undefined : await tokenCounter(deps)
  const window = windowBuilder(maxTokens)
  let turns = maxTurns
  let size = 0
  for (let before: number | undefined; ; ) {
    const query = { turns, order: 'desc', limit: CHUNK } as const
    const chunk = await deps.store.read(keyOf(deps, sessionId), before === undefined ? query : { ...query, before })
    for (const stored of chunk) {
      before = stored.sequence
      if (!isIn(stored.type) || !isConversationType(stored.type)) continue
      const isFirst = size === 0
      size += sizeOf(stored)
      if (size > LIMITS.windowSize && !isFirst) return window.finish(false)
      const event = sessionEvent(sessionId, stored)
      const tokens = count && (await tokensOf(event, count, window.left()))
      if (!window.add(event, tokens)) return window.finish(false)
    }
    turns -= countTurns(chunk)
    if (turns === 0 || isLastPage(chunk, CHUNK)) return window.finish(true)
    await nextTurn()
  }
}

/** Every view right after an event. */
export async function snapshotAt(deps: Deps, sessionId: string, sequence: number): Promise<Snapshot> {
  const view = await viewAt(deps, sessionId, sequence)
  const { document } = await envelopeIn(deps, view)
  return { sequence, record: view.record, state: view.state, envelope: document }
}
