import type { Database } from 'better-sqlite3'
import { IdempotencyMismatchError, IntakePausedError } from '../../domain/errors.ts'
import { prepared } from './statement.ts'

const SELECT_PAUSED = "select value from settings where name = 'paused_since'"

/** Keeps the time of an earlier pause. */
const PAUSE = "insert into settings (name, value) values ('paused_since', ?) on conflict do nothing"

const RESUME = "delete from settings where name = 'paused_since'"

const SELECT_PENDING = 'select 1 from session_imports where session_id = ?'

/** Decides whether new sessions are accepted. */
export function intakeGate(db: Database) {
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

    /** Throws if an import with this id is pending. */
    checkId(sessionId: string): void {
      if (selectPending.get(sessionId) !== undefined) throw new IdempotencyMismatchError({ sessionId })
    },
  }
}

export type IntakeGate = ReturnType<typeof intakeGate>
