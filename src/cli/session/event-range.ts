import type { Session } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionRecord } from '../../domain/record.ts'

/** Which events of a log to show. */
export interface RangeOptions {
  /** Number of most recent turns. */
  last?: number
  turn?: number
  /** Events after this sequence, and how many. */
  after?: number
  limit?: number
}

/** A range of a log: sequences of its first and last event. */
export interface EventRange {
  from: number
  to: number
  /** Number of turns that started before it, if known. */
  turnsBefore?: number
}

export const DEFAULT_TURNS = 20
export const DEFAULT_EVENTS = 100

/** Resolves the options to a range of the log that ends at `head`. */
export async function resolveRange(
  session: Session,
  { head, turns }: Pick<SessionRecord, 'head' | 'turns'>,
  { last = DEFAULT_TURNS, turn, after, limit = DEFAULT_EVENTS }: RangeOptions,
): Promise<EventRange> {
  const sequenceOf = (number: number) => findTurnStart(session, { head, turns }, number)
  if (after !== undefined) {
    requireReached('after', after, head)
    return { from: after + 1, to: Math.min(after + limit, head), ...(after === 0 && { turnsBefore: 0 }) }
  }
  if (turn === undefined) {
    const first = Math.max(1, turns - last + 1)
    return { from: await sequenceOf(first), to: head, turnsBefore: first - 1 }
  }
  if (turn > turns) throw new ValidationError('turn', `is ${turn}, but the session has ${turns} turns`)
  const to = turn === turns ? head : (await sequenceOf(turn + 1)) - 1
  return { from: await sequenceOf(turn), to, turnsBefore: turn - 1 }
}

/** Throws if the log has not reached the sequence. */
export function requireReached(option: 'after' | 'at', sequence: number | undefined, head: number): void {
  if (sequence === undefined || sequence <= head) return
  throw new ValidationError(option, `is ${sequence}, but the last event is ${head}`)
}

/** Yields the events of the range in pages. */
export async function* readPages(session: Session, { from, to }: EventRange): AsyncGenerator<SessionEvent[]> {
  for (let after = from - 1; after < to; ) {
    const page = await session.events({ after, before: to + 1, limit: LIMITS.page })
    if (page.length === 0) return
    yield page
    after = page.at(-1)?.sequence ?? to
  }
}

/** Sequence of the first event of a turn. Events before the first turn belong to it. */
async function findTurnStart(
  session: Session,
  { head, turns }: Pick<SessionRecord, 'head' | 'turns'>,
  turn: number,
): Promise<number> {
  if (turn <= 1) return 1
  // searches from the nearer end
  const order = turn > turns / 2 ? 'desc' : 'asc'
  let left = order === 'desc' ? turns - turn : turn - 1
  for (let edge = order === 'desc' ? head + 1 : 0; ; ) {
    const place = order === 'desc' ? { before: edge } : { after: edge, before: head + 1 }
    const limit = Math.min(left + 1, LIMITS.page)
    const page = await session.events({ ...place, order, limit, types: ['user_message'] })
    const found = page[left]
    if (found !== undefined) return found.sequence
    left -= page.length
    const end = page.at(-1)
    if (end === undefined) return 1
    edge = end.sequence
  }
}
