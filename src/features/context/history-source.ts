import type { HistorySource, Turn } from '../../domain/context/context.ts'
import { type SessionEvent, TURN_TYPES } from '../../domain/event.ts'
import { isLastPage, sizeOfAll } from '../../domain/event-size.ts'
import { LIMITS } from '../../domain/limits.ts'
import { MESSAGE_TYPES } from '../../domain/message.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { sessionEvent } from '../kernel/stored-event.ts'

/** Rows per read. */
const CHUNK = 200
/** Positions that one read looks through: events between messages can be many. */
const SPAN = 64 * 256
/** Messages to read at most. */
const MOST = 20_000
/** Older turns to show the beginning and the end of. */
const TURNS = 24
/** Messages to look through for a turn's last answer: the last ones may be calls without a text. */
const LAST_MESSAGES = 4

/**
 * Reads the messages after `floor` from the end of the log, up to `LIMITS.windowSize` characters. What was read once is
 * not read again.
 */
export function logHistory(deps: Deps, id: string, floor: number, head: number): HistorySource {
  const key = keyOf(deps, id)
  /** Newest first. */
  const read: SessionEvent[] = []
  let before = head + 1
  let size = 0

  async function* events(): AsyncGenerator<SessionEvent> {
    yield* read
    while (before - 1 > floor && size < LIMITS.windowSize && read.length < MOST) {
      const after = Math.max(floor, before - 1 - SPAN)
      const page = await deps.store.read(key, { after, before, types: MESSAGE_TYPES, order: 'desc', limit: CHUNK })
      const fresh = page.map((stored) => sessionEvent(id, stored))
      for (const event of fresh) read.push(event)
      size += sizeOfAll(page)
      before = isLastPage(page, CHUNK) ? after + 1 : (page.at(-1)?.sequence ?? 0)
      yield* fresh
      await nextTurn()
    }
  }

  /** The last text of the assistant between two events. */
  async function answerIn(after: number, before: number): Promise<SessionEvent | undefined> {
    const isRead = (read.at(-1)?.sequence ?? before) <= after
    const found = isRead
      ? read.filter(({ type, sequence }) => type === 'model_message' && sequence > after && sequence < before)
      : await lastMessages(after, before)
    return found.slice(0, LAST_MESSAGES).find(({ content }) => content !== '')
  }

  async function lastMessages(after: number, before: number): Promise<SessionEvent[]> {
    const query = { after, before, types: ['model_message'], order: 'desc', limit: LAST_MESSAGES } as const
    return (await deps.store.read(key, query)).map((stored) => sessionEvent(id, stored))
  }

  async function turnsBefore(sequence: number): Promise<Turn[]> {
    const query = { after: floor, before: sequence, types: TURN_TYPES, order: 'desc', limit: TURNS } as const
    const requests = (await deps.store.read(key, query)).map((stored) => sessionEvent(id, stored))
    const turns: Turn[] = []
    for (const [place, request] of requests.entries()) {
      const answer = await answerIn(request.sequence, requests[place - 1]?.sequence ?? sequence)
      turns.push(answer === undefined ? { request } : { request, answer })
    }
    return turns
  }

  return { events, turnsBefore, isCut: () => before - 1 > floor }
}
