import type { Session } from '../../api.ts'
import { ValidationError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionRecord } from '../../domain/record.ts'

/** Which events of a log are asked for. */
export interface RangeOptions {
  /** The last so many turns. */
  last?: number
  /** One turn. */
  turn?: number
  /** Events behind this sequence, and how many. */
  after?: number
  limit?: number
}

/** A part of a log, by the sequences of its first and last event. */
export interface EventRange {
  from: number
  to: number
  /** Turns that began before it, if that is known. */
  turnsBefore?: number
}

/** Turns that are shown, and events behind a sequence, where nobody says how many. */
export const DEFAULT_TURNS = 20
export const DEFAULT_EVENTS = 100

/** Where in the log that is. `record` is as of its last event that counts. */
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
  if (turn > turns) throw new ValidationError('turn', `there is no turn ${turn}: the session has ${turns}`)
  const to = turn === turns ? head : (await sequenceOf(turn + 1)) - 1
  return { from: await sequenceOf(turn), to, turnsBefore: turn - 1 }
}

/** Refuses a sequence that the log has not reached. */
export function requireReached(option: 'after' | 'at', sequence: number | undefined, head: number): void {
  if (sequence === undefined || sequence <= head) return
  throw new ValidationError(option, `there is no event ${sequence}: the last one is ${head}`)
}

/** The events of the part, a page at a time. */
export async function* readPages(session: Session, { from, to }: EventRange): AsyncGenerator<SessionEvent[]> {
  for (let after = from - 1; after < to; ) {
    const page = await session.events({ after, before: to + 1, limit: LIMITS.page })
    if (page.length === 0) return
    yield page
    after = page.at(-1)?.sequence ?? to
  }
}

/** Where a turn begins. What precedes the first one belongs to it. */
async function findTurnStart(
  session: Session,
  { head, turns }: Pick<SessionRecord, 'head' | 'turns'>,
  turn: number,
): Promise<number> {
  if (turn <= 1) return 1
  // from the nearer end
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
