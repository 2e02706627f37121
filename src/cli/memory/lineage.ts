import type { Throughline } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { LineageEntry, Memory } from '../../domain/memory/memory.ts'
import { hasErrorCode } from '../failure.ts'

/** Maximum events per entry. */
const SHOWN = 5

/** A lineage entry with its events from the log. */
export interface TracedEntry extends LineageEntry {
  /** First events of the range, if the session still exists. */
  events?: Pick<SessionEvent, 'sequence' | 'type' | 'role' | 'content'>[]
  /** Number of further events in the range. */
  more?: number
}

/** Reads the events that a memory comes from. */
export async function traceLineage(tl: Pick<Throughline, 'sessions'>, { lineage }: Memory): Promise<TracedEntry[]> {
  const entries: TracedEntry[] = []
  for (const entry of lineage) entries.push({ ...entry, ...(await readRange(tl, entry)) })
  return entries
}

async function readRange(
  { sessions }: Pick<Throughline, 'sessions'>,
  { sessionId, from = 1, to }: LineageEntry,
): Promise<Pick<TracedEntry, 'events' | 'more'>> {
  if (sessionId === undefined) return {}
  try {
    const session = await sessions.get(sessionId)
    const { head } = await session.record()
    const last = Math.min(to ?? head, head)
    const page = await session.events({ after: from - 1, before: last + 1, limit: SHOWN })
    const events = page.map(({ sequence, type, role, content }) => ({ sequence, type, role, content }))
    const more = Math.max(0, last - from + 1 - events.length)
    return { events, ...(more > 0 && { more }) }
  } catch (error) {
    // purged after the memory was read
    if (hasErrorCode(error, 'SESSION_NOT_FOUND')) return {}
    throw error
  }
}
