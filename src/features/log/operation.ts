import type { EventsQuery, RecentOptions, Snapshot } from '../../api.ts'
import { countTurns, isConversationType, type SessionEvent, startsTurn, TURN_TYPES } from '../../domain/event.ts'
import { isLastPage, sizeOf } from '../../domain/event-size.ts'
import { DEFAULT_PAGE, LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { type TurnStart, type Window, type WindowBuilder, windowBuilder } from '../../domain/window.ts'
import { envelopeIn } from '../envelope/operation.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { viewAt } from '../kernel/history.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { parse } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { type EventCounter, eventCounter } from '../kernel/token-count.ts'
import { eventsQuery, recentOptions } from './schema.ts'

export { appendEvents, checkedAppend } from './append.ts'
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
 * The last turns, as far as they fit into the budget and into `LIMITS.windowSize`, then the end of the turn before
 * them. Reads backwards from the end and stops where the window ends, however long the log is.
 */
export async function recentEvents(deps: Deps, sessionId: string, options: RecentOptions = {}): Promise<Window> {
  const { maxTurns = 30, maxTokens } = parse(recentOptions, options)
  const count = maxTokens === undefined ? undefined : await eventCounter(deps)
  const window = windowBuilder(maxTokens)
  const cut = async () => window.cut(await turnStart(deps, sessionId, window, count))
  let turns = maxTurns
  let size = 0
  for (let before: number | undefined; ; ) {
    const query = { turns, order: 'desc', limit: CHUNK } as const
    const chunk = await deps.store.read(keyOf(deps, sessionId), before === undefined ? query : { ...query, before })
    for (const stored of chunk) {
      before = stored.sequence
      if (!isConversationType(stored.type)) continue
      const isFirst = size === 0
      size += sizeOf(stored)
      if (size > LIMITS.windowSize && !isFirst) return await cut()
      const event = sessionEvent(sessionId, stored)
      const tokens = count && (await count(event, window.left()))
      if (!window.add(event, tokens)) return await cut()
    }
    turns -= countTurns(chunk)
    if (turns === 0 || isLastPage(chunk, CHUNK)) return window.whole()
    await nextTurn()
  }
}

/** The user message of the turn that the window cuts. */
async function turnStart(
  deps: Deps,
  sessionId: string,
  window: WindowBuilder,
  count: EventCounter | undefined,
): Promise<TurnStart | undefined> {
  const cutAt = window.cutAt()
  if (cutAt === undefined) return undefined
  const types = [...TURN_TYPES, 'messages_cleared']
  const query = { before: cutAt.sequence, types, line: true, order: 'desc', limit: 1 } as const
  const [stored] = await deps.store.read(keyOf(deps, sessionId), query)
  if (stored === undefined || !startsTurn(stored)) return undefined
  const event = sessionEvent(sessionId, stored)
  return { event, tokens: count === undefined ? 0 : await count(event, Number.POSITIVE_INFINITY) }
}

/** Every view right after an event. */
export async function snapshotAt(deps: Deps, sessionId: string, sequence: number): Promise<Snapshot> {
  const view = await viewAt(deps, sessionId, sequence)
  const { document } = await envelopeIn(deps, view)
  return { sequence, record: view.record, state: view.state, envelope: document }
}
