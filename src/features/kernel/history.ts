import { SessionNotFoundError, ValidationError } from '../../domain/errors.ts'
import { type SessionEvent, TURN_TYPES } from '../../domain/event.ts'
import { evolve, FOLDED_TYPES, initialView, isActivity, type SessionView, withCounters } from '../../domain/fold.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ChecksummedEvent, SessionKey, StoredEvent } from '../../ports/session-store.ts'
import { type Deps, keyOf } from './deps.ts'
import { sessionEvent } from './stored-event.ts'

/** A range of a log. */
interface Range {
  /** Exclusive. @default 0 */
  readonly after?: number
  /** @default the end of the log */
  readonly last?: number
  /** @default all of them */
  readonly types?: readonly string[]
}

/** The stored events of a range in order, page by page. */
export async function* walkStored(
  { store }: Deps,
  key: SessionKey,
  { after = 0, last = Number.MAX_SAFE_INTEGER, types }: Range = {},
): AsyncGenerator<StoredEvent[]> {
  const only = types === undefined ? {} : { types }
  for (let seen = after; seen < last; ) {
    const page = await store.read(key, { after: seen, before: last + 1, order: 'asc', limit: LIMITS.page, ...only })
    const end = page.at(-1)
    if (end === undefined) return
    yield page
    seen = end.sequence
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

/** The views right after an event. */
export async function viewAt(deps: Deps, sessionId: string, sequence: number): Promise<SessionView> {
  const key = keyOf(deps, sessionId)
  const present = await deps.store.load(key)
  if (present === undefined) throw new SessionNotFoundError(sessionId)
  const { head } = present.record
  if (!Number.isInteger(sequence) || sequence < 1 || sequence > head) {
    throw new ValidationError('sequence', `must be a whole number from 1 to ${head}, the last event of the session`)
  }
  if (sequence === head) return present
  let view: SessionView | undefined
  // most of a log is messages, which no view holds: skip them
  for await (const page of walkStored(deps, key, { last: sequence, types: FOLDED_TYPES })) {
    for (const stored of page) {
      const event = sessionEvent(sessionId, stored)
      view = view === undefined ? initialView(event) : evolve(view, event)
    }
  }
  const turns = await turnsUpTo(deps, key, sequence, present)
  // two events in a row without activity never happen
  const last = await deps.store.read(key, { before: sequence + 1, order: 'desc', limit: 2 })
  const { createdAt } = last.find(isActivity) as StoredEvent
  return withCounters(view as SessionView, { sequence, turns, lastActivityAt: createdAt })
}

/** Counts the user messages up to an event, from the nearer end of the log. */
async function turnsUpTo(deps: Deps, key: SessionKey, sequence: number, { record }: SessionView): Promise<number> {
  const fromEnd = sequence > record.head / 2
  const range = fromEnd ? { after: sequence, last: record.head } : { last: sequence }
  let turns = 0
  for await (const page of walkStored(deps, key, { ...range, types: TURN_TYPES })) turns += page.length
  return fromEnd ? record.turns - turns : turns
}
