import type { Session } from '../../api.ts'
import type { ThroughlineError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { endTime, isFinal, type SessionRecord, type SessionStatus } from '../../domain/record.ts'

/** How often a quiet session is looked at, in milliseconds: it may have expired, or been purged. */
const POLL_MS = 1000
/** How long its commit may take after the end before nobody waits for it any more, in milliseconds. */
const COMMIT_WAIT_MS = 3000

/**
 * Events behind `after`, and new ones as they come, until the session has ended and all of them were given. Throws
 * `SESSION_NOT_FOUND` once it was purged. Gives the record it ended with.
 */
export async function* followSession(session: Session, after: number): AsyncGenerator<SessionEvent, SessionRecord> {
  let record = await session.record()
  let seen = after
  let isCommitted = record.endedAt !== undefined && (await endsWithCommit(session))
  let seenEnded: number | undefined

  /** Whether the session takes no more events, and these were all. */
  function isOver(): boolean {
    const now = Date.now()
    const endedAt = endTime(record, new Date(now).toISOString())
    if (endedAt === undefined || seen < record.head) return false
    // by the clock of this machine where that of the store is ahead
    seenEnded ??= Math.min(now, Date.parse(endedAt))
    return isCommitted || !leavesCommit(record.status) || now - seenEnded > COMMIT_WAIT_MS
  }

  if (isOver()) return record
  const stop = new AbortController()
  let failure: unknown
  const lookOnce = async () => {
    try {
      record = await session.record()
      if (isOver()) stop.abort()
    } catch (error) {
      // all else is for the tail to judge, which comes through an outage by itself
      if (!isGone(error)) return
      failure = error
      stop.abort()
    }
  }
  let looking: Promise<void> | undefined
  // one at a time: a server that is slow to answer is not asked again meanwhile
  const look = () => {
    looking ??= lookOnce().finally(() => {
      looking = undefined
    })
    return looking
  }
  const timer = setInterval(look, POLL_MS)
  try {
    for await (const event of session.tail({ after, signal: stop.signal })) {
      yield event
      seen = event.sequence
      isCommitted ||= event.type === 'session_compacted'
      if (isOver() || mayBeLast(event)) await look()
    }
  } finally {
    clearInterval(timer)
  }
  if (failure !== undefined) throw failure
  return record
}

// by code rather than instanceof: two copies of the package may be loaded
function isGone(error: unknown): boolean {
  return (error as Partial<ThroughlineError> | undefined)?.code === 'SESSION_NOT_FOUND'
}

async function endsWithCommit(session: Session): Promise<boolean> {
  const [last] = await session.events({ order: 'desc', limit: 1 })
  return last?.type === 'session_compacted'
}

function leavesCommit(status: SessionStatus): boolean {
  return isFinal(status.state) && !(status.state === 'complete' && status.endedBy === 'caller')
}

/** Whether the event may be the last one. */
function mayBeLast({ type, parts }: SessionEvent): boolean {
  if (type !== 'status_changed') return type === 'session_compacted'
  return isFinal((parts as unknown as { status: SessionStatus }).status.state)
}
