import type { Database } from 'better-sqlite3'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { countTurns } from '../../domain/event.ts'
import { bytesOfAll } from '../../domain/event-size.ts'
import { isWithin, type SessionState } from '../../domain/record.ts'
import { takesWork } from '../../domain/run.ts'
import type { NewEvent, SessionKey } from '../../ports/session-store.ts'
import { minuteOf } from './rows.ts'
import { type Prepared, prepared } from './statement.ts'
import { UPDATE_DUE } from './view-sql.ts'

const SELECT_HEAD = `
  select id, tenant, user_id as userId, head, turns, bytes, last_activity_at as lastActivityAt, activity_minute as activityMinute, ended_at as endedAt,
    expires_at as expiresAt, state, run_generation as runGeneration, due_at as dueAt
  from sessions
  where id = ?`

export const UPDATE_HEAD = `
  update sessions
  set head = ?, turns = ?, bytes = ?, last_activity_at = ?
  where id = ?`

/** Separate, since setting the column rewrites its seven index entries even if the value stays. */
const UPDATE_MINUTE = `
  update sessions
  set activity_minute = ?
  where id = ?`

/** Most sessions to cache from one transaction to the next. */
const MAX_CACHED = 1000

/** The columns of a session that an append needs. */
export interface Head {
  id: string
  tenant: string
  userId: string
  head: number
  turns: number
  bytes: number
  lastActivityAt: string
  activityMinute: number
  endedAt: string | null
  expiresAt: string | null
  state: SessionState
  /** Of the live run. */
  runGeneration: number | null
  /** While no run is live. */
  dueAt: string | null
  /** A message made it due, which is not written yet. */
  isNewlyDue?: boolean
  /** Block of the last event, and the types already stored for it. */
  block?: number
  types?: Set<string>
}

/**
 * Caches the heads of written sessions. A head is written once per transaction, and read again only if another
 * connection has written to the file: with 32 writers on one session that is 1 statement instead of 64.
 */
export class HeadCache {
  readonly #select: Prepared<[string], Head>
  readonly #update: Prepared<[number, number, number, string, string]>
  readonly #updateMinute: Prepared<[number, string]>
  readonly #updateDue: Prepared<[string | null, string]>
  readonly #dataVersion: Prepared<[], number>
  readonly #loaded = new Map<string, Head>()
  readonly #moved = new Set<string>()
  readonly #touched = new Set<string>()
  /** Changes whenever another connection writes to the file. */
  #version: number | undefined

  constructor(db: Database) {
    this.#select = prepared(db, SELECT_HEAD)
    this.#update = prepared(db, UPDATE_HEAD)
    this.#updateMinute = prepared(db, UPDATE_MINUTE)
    this.#updateDue = prepared(db, UPDATE_DUE)
    this.#dataVersion = prepared<[], number>(db, 'pragma data_version').pluck()
  }

  /**
   * Call at the start of a transaction: no other connection writes until it ends. Returns whether another connection
   * has written since the last call.
   */
  begin(): boolean {
    const version = this.#dataVersion.get()
    const isChanged = version !== this.#version
    if (isChanged || this.#loaded.size > MAX_CACHED) this.#loaded.clear()
    this.#version = version
    return isChanged
  }

  /** The head of a session. */
  load({ sessionId, within }: SessionKey): Head {
    const head = this.#loaded.get(sessionId) ?? this.#select.get(sessionId)
    if (head === undefined || !isWithin(head, within)) throw new SessionNotFoundError(sessionId)
    this.#loaded.set(sessionId, head)
    return head
  }

  advance(sessionId: string, head: Head, events: readonly NewEvent[], at: string): void {
    const turns = countTurns(events)
    head.head += events.length
    head.turns += turns
    head.bytes += bytesOfAll(events)
    head.lastActivityAt = at
    if (turns > 0 && head.runGeneration === null && takesWork(head.state) && (head.dueAt === null || head.dueAt > at)) {
      Object.assign(head, { dueAt: at, isNewlyDue: true })
    }
    this.#moved.add(sessionId)
    this.#touched.add(sessionId)
  }

  /** Writes the head and removes it from the cache, before the row itself is read and written. */
  writeAndForget(sessionId: string): void {
    if (this.#moved.delete(sessionId)) this.#write(sessionId)
    this.#loaded.delete(sessionId)
    this.#touched.add(sessionId)
  }

  /** Drops the head of a session that is being purged. */
  forget(sessionId: string): void {
    this.#loaded.delete(sessionId)
    this.#moved.delete(sessionId)
    this.#touched.add(sessionId)
  }

  /** Writes every advanced head. */
  flush(): void {
    for (const sessionId of this.#moved) this.#write(sessionId)
  }

  /** Call at the end of a transaction. Returns the sessions that were written to. */
  end(committed: boolean): string[] {
    const touched = [...this.#touched]
    if (!committed) this.#loaded.clear()
    this.#moved.clear()
    this.#touched.clear()
    return touched
  }

  #write(sessionId: string): void {
    const moved = this.load({ sessionId })
    this.#update.run(moved.head, moved.turns, moved.bytes, moved.lastActivityAt, sessionId)
    const minute = minuteOf(moved.lastActivityAt)
    if (minute !== moved.activityMinute) this.#updateMinute.run(minute, sessionId)
    moved.activityMinute = minute
    if (moved.isNewlyDue === true) this.#updateDue.run(moved.dueAt, sessionId)
    moved.isNewlyDue = false
  }
}
