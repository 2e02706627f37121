import type { Throughline } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { LineageEntry, Memory } from '../../domain/memory/memory.ts'

/** Events of one entry that are shown. */
const SHOWN = 5

/** An entry of a memory's lineage, with what the log says there. */
export interface TracedEntry extends LineageEntry {
  /** The first events of the range, if the session is still there. */
  events?: Pick<SessionEvent, 'sequence' | 'type' | 'role' | 'content'>[]
  /** Events of the range beyond those. */
  more?: number
}

/** Where a memory comes from, read back from the log. */
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
    // a purge takes the entry away with the session: it came in between
    if (error instanceof Error && 'code' in error && error.code === 'SESSION_NOT_FOUND') return {}
    throw error
  }
}
