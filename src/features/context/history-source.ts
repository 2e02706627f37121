import type { HistorySource, Turn } from '../../domain/context/context.ts'
import { type SessionEvent, TURN_TYPES } from '../../domain/event.ts'
import { isLastPage, sizeOf } from '../../domain/event-size.ts'
import type { SessionView } from '../../domain/fold.ts'
import { LIMITS } from '../../domain/limits.ts'
import { MESSAGE_TYPES } from '../../domain/message.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import type { LogEnd, SizedEvent } from '../kernel/log-cache.ts'
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
/** Answers of older turns to keep; all are read again beyond. */
const MOST_ANSWERS = 10 * TURNS
/** Reads at once: one caller should not hold all connections. */
const AT_ONCE = 4
/** Messages to look through for a turn's last answer: the last ones may be calls without a text. */
const LAST_MESSAGES = 4

/** A history source that keeps what it read. */
export interface LogHistory extends HistorySource {
  remember(): void
}

/** Appended positions beyond which the cached end of a log is read anew. */
const FAR = 4 * CHUNK

/**
 * Reads the messages of the current line after `floor` from the end of the log, up to `LIMITS.windowSize` characters. Only what was
 * appended since the last context is read from the store.
 */
export function logHistory(
  deps: Deps,
  { record: { id, startedAt, head }, hidden }: SessionView,
  floor: number,
): LogHistory {
  const key = keyOf(deps, id)
  const line = hidden === undefined ? {} : { line: hidden }
  const nothing: LogEnd = { startedAt, hidden, before: head + 1, head, newestFirst: [], answers: new Map() }
  let end = deps.logCache.get(id, nothing) ?? nothing
  /** Newest first. */
  const read: SessionEvent[] = []
  let isTooLong = false

  async function readPage(after: number, before: number): Promise<{ page: SizedEvent[]; next: number }> {
    const query = { ...line, after, before, types: MESSAGE_TYPES, order: 'desc', limit: CHUNK } as const
    const stored = await deps.store.read(key, query)
    const page = stored.map((event) => ({ event: sessionEvent(id, event), size: sizeOf(event) }))
    return { page, next: isLastPage(stored, CHUNK) ? after + 1 : (stored.at(-1)?.sequence ?? 0) }
  }

  /** Adds what was appended since; far behind, the end is read anew. */
  async function catchUp(): Promise<void> {
    if (head - end.head > FAR) end = nothing
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
    const answers = end.answers.size > MOST_ANSWERS ? new Map() : end.answers
    deps.logCache.set(id, { ...end, before, newestFirst, answers })
  }

  /** The last text of the assistant between two events. */
  async function answerIn(after: number, before: number): Promise<SizedEvent | undefined> {
    const query = { ...line, after, before, types: ['model_message'], order: 'desc', limit: LAST_MESSAGES } as const
    const found = (await deps.store.read(key, query)).find(({ content }) => content !== '')
    return found && { event: sessionEvent(id, found), size: sizeOf(found) }
  }

  async function turnsBefore(sequence: number): Promise<Turn[]> {
    const query = { ...line, after: floor, before: sequence, types: TURN_TYPES, order: 'desc', limit: TURNS } as const
    const requests = (await deps.store.read(key, query)).map((stored) => sessionEvent(id, stored))
    const turnAt = async (request: SessionEvent, place: number): Promise<Turn> => {
      const next = requests[place - 1]?.sequence
      const isKnown = next !== undefined && end.answers.has(request.sequence)
      const answer = isKnown ? end.answers.get(request.sequence) : await answerIn(request.sequence, next ?? sequence)
      // the newest of them may still go on
      if (next !== undefined) end.answers.set(request.sequence, answer)
      return answer === undefined ? { request } : { request, answer: answer.event }
    }
    const turns: Turn[] = []
    for (let at = 0; at < requests.length; at += AT_ONCE) {
      const some = requests.slice(at, at + AT_ONCE)
      turns.push(...(await Promise.all(some.map((request, i) => turnAt(request, at + i)))))
    }
    return turns
  }

  return { events, turnsBefore, isCut: () => isTooLong, remember }
}
