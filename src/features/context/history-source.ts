import type { HistorySource, Turn } from '../../domain/context/context.ts'
import { type SessionEvent, TURN_TYPES } from '../../domain/event.ts'
import { isLastPage, sizeOf } from '../../domain/event-size.ts'
import { LIMITS } from '../../domain/limits.ts'
import { MESSAGE_TYPES } from '../../domain/message.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import type { SizedEvent } from '../kernel/log-cache.ts'
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

/** A history source that keeps what it read. */
export interface LogHistory extends HistorySource {
  remember(): void
}

/** Appended positions beyond which the cached end of a log is read anew. */
const FAR = 4 * CHUNK

/**
 * Reads the messages after `floor` from the end of the log, up to `LIMITS.windowSize` characters. Only what was
 * appended since the last context is read from the store.
 */
export function logHistory(deps: Deps, { id, startedAt, head }: SessionRecord, floor: number): LogHistory {
  const key = keyOf(deps, id)
  let end = deps.logCache.get(id, startedAt) ?? { startedAt, before: head + 1, head, newestFirst: [] }
  /** Newest first. */
  const read: SessionEvent[] = []
  let isTooLong = false

  async function readPage(after: number, before: number): Promise<{ page: SizedEvent[]; next: number }> {
    const stored = await deps.store.read(key, { after, before, types: MESSAGE_TYPES, order: 'desc', limit: CHUNK })
    const page = stored.map((event) => ({ event: sessionEvent(id, event), size: sizeOf(event) }))
    return { page, next: isLastPage(stored, CHUNK) ? after + 1 : (stored.at(-1)?.sequence ?? 0) }
  }

  /** Adds what was appended since; far behind, the end is read anew. */
  async function catchUp(): Promise<void> {
    if (head - end.head > FAR) end = { startedAt, before: head + 1, head, newestFirst: [] }
    const fresh: SizedEvent[] = []
    for (let before = head + 1; before - 1 > end.head; ) {
      const { page, next } = await readPage(end.head, before)
      fresh.push(...page)
      before = next
    }
    if (head > end.head) end = { ...end, head, newestFirst: [...fresh, ...end.newestFirst] }
  }

  async function* sized(): AsyncGenerator<SizedEvent> {
    await catchUp()
    for (const [place, one] of end.newestFirst.entries()) {
      if (one.event.sequence <= floor) return
      if (one.event.sequence <= head) yield one
      if (place % CHUNK === CHUNK - 1) await nextTurn()
    }
    while (end.before - 1 > floor) {
      const after = Math.max(floor, end.before - 1 - SPAN)
      const { page, next } = await readPage(after, end.before)
      end = { ...end, before: next, newestFirst: [...end.newestFirst, ...page] }
      yield* page
      await nextTurn()
    }
  }

  async function* events(): AsyncGenerator<SessionEvent> {
    let [place, total] = [0, 0]
    for await (const { event, size } of sized()) {
      isTooLong = total >= LIMITS.windowSize || place >= MOST
      if (isTooLong) break
      total += size
      read[place++] = event
      yield event
    }
  }

  /** Keeps what the next context is likely to need. */
  function remember(): void {
    const newestFirst = end.newestFirst.slice(0, Math.max(CHUNK, 2 * read.length))
    const last = newestFirst.at(-1)
    const isShorter = newestFirst.length < end.newestFirst.length
    const before = isShorter && last !== undefined ? last.event.sequence : end.before
    deps.logCache.set(id, { ...end, before, newestFirst })
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

  return { events, turnsBefore, isCut: () => isTooLong, remember }
}
