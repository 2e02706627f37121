import type { Session } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { endTime, isFinal, type SessionRecord, type SessionStatus } from '../../domain/record.ts'
import { hasErrorCode } from '../failure.ts'

/** Poll interval for a quiet session, which may have expired or been purged. */
const POLL_MS = 1000
/** How long to wait for the commit after the end. */
const COMMIT_WAIT_MS = 3000

/**
 * Yields the events after `after`, then new ones, until the session has ended. Throws `SESSION_NOT_FOUND` if it is
 * purged. Returns the final record.
 */
export async function* followSession(session: Session, after: number): AsyncGenerator<SessionEvent, SessionRecord> {
  let record = await session.record()
  let seen = after
  let isCommitted = record.endedAt !== undefined && (await endsWithCommit(session))
  let seenEnded: number | undefined

  /** Whether the session has ended and all its events were yielded. */
  function isOver(): boolean {
    const now = Date.now()
    const endedAt = endTime(record, new Date(now).toISOString())
    if (endedAt === undefined || seen < record.head) return false
    // our clock counts if the store's clock is ahead
    seenEnded ??= Math.min(now, Date.parse(endedAt))
    return isCommitted || !leavesCommit(record.status) || now - seenEnded > COMMIT_WAIT_MS
  }

  if (isOver()) return record
  const stop = new AbortController()
  let failure: unknown
  const pollOnce = async () => {
    try {
      record = await session.record()
      if (isOver()) stop.abort()
    } catch (error) {
      // tail handles other errors: it survives an outage
      if (!hasErrorCode(error, 'SESSION_NOT_FOUND')) return
      failure = error
      stop.abort()
    }
  }
  let polling: Promise<void> | undefined
  // one request at a time, also on a slow server
  const poll = () => {
    polling ??= pollOnce().finally(() => {
      polling = undefined
    })
    return polling
  }
  const timer = setInterval(poll, POLL_MS)
  try {
    for await (const event of session.tail({ after, signal: stop.signal })) {
      yield event
      seen = event.sequence
      isCommitted ||= event.type === 'session_compacted'
      if (isOver() || mayBeLast(event)) await poll()
    }
  } finally {
    clearInterval(timer)
  }
  if (failure !== undefined) throw failure
  return record
}

async function endsWithCommit(session: Session): Promise<boolean> {
  const [last] = await session.events({ order: 'desc', limit: 1 })
  return last?.type === 'session_compacted'
}

function leavesCommit(status: SessionStatus): boolean {
  return isFinal(status.state) && !(status.state === 'complete' && status.endedBy === 'caller')
}

/** Whether no event may follow this one. */
function mayBeLast({ type, parts }: SessionEvent): boolean {
  if (type !== 'status_changed') return type === 'session_compacted'
  return isFinal((parts as unknown as { status: SessionStatus }).status.state)
}
