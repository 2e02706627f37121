import { SessionNotFoundError, ValidationError } from '../../domain/errors.ts'
import { type SessionEvent, TURN_TYPES } from '../../domain/event.ts'
import { isLastPage } from '../../domain/event-size.ts'
import { evolve, FOLDED_TYPES, initialView, isActivity, type SessionView, withCounters } from '../../domain/fold.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { USAGE_FOLDED_TYPES } from '../../domain/usage.ts'
import type { ChecksummedEvent, ReadQuery, SessionKey, StoredEvent } from '../../ports/session-store.ts'
import { type Deps, keyOf } from './deps.ts'
import { nextTurn } from './next-turn.ts'
import { pacer } from './pace.ts'
import { sessionEvent } from './stored-event.ts'

/** A range of a log. */
interface Range {
  /** Exclusive. @default 0 */
  readonly after?: number
  /** @default the end of the log */
  readonly last?: number
  /** @default all of them */
  readonly types?: readonly string[]
  /** Only events on this line. @default all of them */
  readonly line?: ReadQuery['line']
}

/** The stored events of a range in order, page by page. */
export function walkStored(
  deps: Deps,
  key: SessionKey,
  { after = 0, last = Number.MAX_SAFE_INTEGER, types, line }: Range = {},
): AsyncGenerator<StoredEvent[]> {
  return readPages(deps, key, defined({ after, before: last + 1, types, line, order: 'asc' as const }))
}

/** The pages of a log from either end. Holds one of them, and lets other work run before the next. */
export async function* readPages(
  { store }: Deps,
  key: SessionKey,
  query: Omit<ReadQuery, 'limit' | 'turns'>,
): AsyncGenerator<StoredEvent[]> {
  const limit = LIMITS.page
  for (let rest = query; ; ) {
    const page = await store.read(key, { ...rest, limit })
    const end = page.at(-1)
    if (end === undefined) return
    yield page
    if (isLastPage(page, limit)) return
    rest = query.order === 'asc' ? { ...query, after: end.sequence } : { ...query, before: end.sequence }
    await nextTurn()
  }
}

/** Like {@link walkStored}, with checksums. */
export async function* walkChecksummed(deps: Deps, key: SessionKey, range?: Range): AsyncGenerator<ChecksummedEvent[]> {
  for await (const page of walkStored(deps, key, range)) {
    const [after, before] = [(page[0]?.sequence ?? 1) - 1, (page.at(-1)?.sequence ?? 0) + 1]
    const checksums = await deps.store.checksums(key, { after, before })
    yield page.map((event, i) => ({ ...event, checksum: checksums[i] ?? '' }))
  }
}

/** Like {@link walkStored}, as callers see the events. */
export async function* walkLog(deps: Deps, sessionId: string, range?: Range): AsyncGenerator<SessionEvent[]> {
  for await (const page of walkStored(deps, keyOf(deps, sessionId), range)) {
    yield page.map((event) => sessionEvent(sessionId, event))
  }
}

/** The views right after an event. `field` names the sequence in errors. */
export async function viewAt(
  deps: Deps,
  sessionId: string,
  sequence: number,
  field = 'sequence',
): Promise<SessionView> {
  const key = keyOf(deps, sessionId)
  const present = await deps.store.load(key)
  if (present === undefined) throw new SessionNotFoundError(sessionId)
  const { head } = present.record
  if (!Number.isInteger(sequence) || sequence < 1 || sequence > head) {
    throw new ValidationError(field, `must be a whole number from 1 to ${head}, the last event of the session`)
  }
  if (sequence === head) return present
  let view: SessionView | undefined
  // a change of the largest scratchpad copies tens of thousands of keys
  const pace = pacer()
  // most of a log is messages, which no view but usage depends on
  const { usage, forkedFrom } = present.record
  const hasUsage = usage !== undefined || forkedFrom !== undefined
  const types = hasUsage ? [...FOLDED_TYPES, ...USAGE_FOLDED_TYPES] : FOLDED_TYPES
  for await (const page of walkStored(deps, key, { last: sequence, types })) {
    for (const stored of page) {
      const event = sessionEvent(sessionId, stored)
      view = view === undefined ? initialView(event) : evolve(view, event)
      await pace()
    }
  }
  const turns = await turnsUpTo(deps, key, sequence, present)
  const { createdAt } = (await lastActivity(deps, key, sequence)) as StoredEvent
  return withCounters(view as SessionView, { sequence, turns, lastActivityAt: createdAt })
}

/** The last event up to a sequence that counts as activity. */
async function lastActivity({ store }: Deps, key: SessionKey, sequence: number): Promise<StoredEvent | undefined> {
  for (let before = sequence + 1; ; ) {
    // two events in a row without activity never happen
    const page = await store.read(key, { before, order: 'desc', limit: 2 })
    const found = page.find(isActivity)
    const end = page.at(-1)
    if (found !== undefined || end === undefined) return found
    before = end.sequence
  }
}

/** Counts the user messages up to an event, from the nearer end of the log. */
async function turnsUpTo(deps: Deps, key: SessionKey, sequence: number, { record }: SessionView): Promise<number> {
  const fromEnd = sequence > record.head / 2
  const range = fromEnd ? { after: sequence, last: record.head } : { last: sequence }
  let turns = 0
  for await (const page of walkStored(deps, key, { ...range, types: TURN_TYPES })) turns += page.length
  return fromEnd ? record.turns - turns : turns
}
