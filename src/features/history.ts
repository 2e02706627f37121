import { SessionNotFoundError, ValidationError } from '../domain/errors.ts'
import type { SessionEvent } from '../domain/event.ts'
import { begin, evolve, type SessionView } from '../domain/fold.ts'
import { LIMITS } from '../domain/limits.ts'
import type { SessionKey, StoredEvent } from '../ports/session-store.ts'
import { type Deps, keyOf } from './deps.ts'
import { sessionEvent } from './stored-event.ts'

/** The log from behind `after` up to `last`, in order, a page at a time, as the store holds it. */
export async function* walkStored(
  { store }: Deps,
  key: SessionKey,
  last = Number.MAX_SAFE_INTEGER,
  after = 0,
): AsyncGenerator<StoredEvent[]> {
  for (let seen = after; seen < last; ) {
    const page = await store.read(key, { after: seen, before: last + 1, order: 'asc', limit: LIMITS.page })
    const end = page.at(-1)
    if (end === undefined) return
    yield page
    seen = end.sequence
  }
}

/** The same as callers see it. */
export async function* walkLog(
  deps: Deps,
  sessionId: string,
  last?: number,
  after?: number,
): AsyncGenerator<SessionEvent[]> {
  for await (const page of walkStored(deps, keyOf(deps, sessionId), last, after)) {
    yield page.map((event) => sessionEvent(sessionId, event))
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
