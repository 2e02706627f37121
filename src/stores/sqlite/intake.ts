import type { Database } from 'better-sqlite3'
import { IdempotencyMismatchError, IntakePausedError } from '../../domain/errors.ts'
import { Refusal } from './commit-queue.ts'
import type { HiddenSessions } from './hidden-sessions.ts'
import { prepared } from './statement.ts'

const SELECT_PAUSED = "select value from settings where name = 'paused_since'"

/** Keeps the time of an earlier pause. */
const PAUSE = "insert into settings (name, value) values ('paused_since', ?) on conflict do nothing"

const RESUME = "delete from settings where name = 'paused_since'"

const SELECT_PENDING = 'select 1 from session_imports where session_id = ?'

/** A purge or a fork has hidden the session with this id. */
export class HiddenSessionError extends Error {
  readonly sessionId: string

  constructor(sessionId: string) {
    super(`session '${sessionId}' is being removed or copied`)
    this.sessionId = sessionId
  }
}

/** Decides whether new sessions are accepted. */
export function intakeGate(db: Database, hidden: HiddenSessions) {
  const selectPaused = prepared<[], string>(db, SELECT_PAUSED).pluck()
  const pause = prepared(db, PAUSE)
  const resume = prepared(db, RESUME)
  const selectPending = prepared<[string], 1>(db, SELECT_PENDING).pluck()

  return {
    pausedSince: (): string | undefined => selectPaused.get(),

    pause(since: string | undefined): void {
      if (since === undefined) resume.run()
      else pause.run(since)
    },

    /** Throws while the intake is paused. */
    check(): void {
      const since = selectPaused.get()
      if (since !== undefined) throw new IntakePausedError(since)
    },

    /** Throws if a hidden session has this id. */
    checkHidden(sessionId: string): void {
      if (hidden.find(sessionId) === undefined) return
      throw new Refusal('hidden', { cause: new HiddenSessionError(sessionId) })
    },

    /** Throws if an import with this id is pending, or a hidden session has it. */
    checkId(sessionId: string): void {
      this.checkHidden(sessionId)
      if (selectPending.get(sessionId) !== undefined) throw new IdempotencyMismatchError({ sessionId })
    },
  }
}

export type IntakeGate = ReturnType<typeof intakeGate>
