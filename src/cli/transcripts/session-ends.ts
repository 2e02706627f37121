import type { Session, Throughline } from '../../api.ts'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { isObject } from '../../domain/json.ts'
import { continuationId, type SessionEnd } from '../../transcripts/transcript-log.ts'

/** Events read at once: the last imported one is usually followed by those of the end only. */
const PAGE = 20

/** Finds where imported lines stop in a session that has ended, and in those that continue it. */
export async function findEnds(tl: Throughline, sessionId: string): Promise<Map<string, SessionEnd>> {
  const ends = new Map<string, SessionEnd>()
  for (let id = sessionId; ; ) {
    const end = await endOf(tl, id)
    if (end === undefined) return ends
    ends.set(id, end)
    id = continuationId(id, end)
  }
}

async function endOf(tl: Throughline, id: string): Promise<SessionEnd | undefined> {
  try {
    const session = await tl.sessions.get(id)
    const { endedAt } = await session.record()
    return endedAt === undefined ? undefined : await lastImported(session)
  } catch (error) {
    if (error instanceof SessionNotFoundError) return undefined
    throw error
  }
}

async function lastImported(session: Session): Promise<SessionEnd | undefined> {
  for (let before: number | undefined; ; ) {
    const events = await session.events({ order: 'desc', limit: PAGE, ...(before !== undefined && { before }) })
    const last = events.find(({ parts }) => isObject(parts) && typeof parts['line'] === 'number')
    if (last !== undefined) return { sequence: last.sequence, eventId: last.id }
    before = events.at(-1)?.sequence
    if (before === undefined) return undefined
  }
}
