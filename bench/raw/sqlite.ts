import Database from 'better-sqlite3'
import type { Message } from '../load.ts'
import type { RawLog } from './log.ts'

const SCHEMA = `
  create table if not exists sessions (
    id text not null primary key, head integer not null, last_activity_at text not null
  ) strict, without rowid;
  create table if not exists session_events (
    session_id text not null, sequence integer not null, id text not null, type text not null, role text not null,
    content text not null, parts text, created_at text not null,
    primary key (session_id, sequence)
  ) strict, without rowid`

/** The head row and the insert in one transaction for each append, nothing else. */
export function rawSqlite(path: string, synchronous: 'full' | 'normal'): RawLog {
  const db = new Database(path)
  db.pragma('journal_mode = wal')
  db.pragma(`synchronous = ${synchronous}`)
  db.exec(SCHEMA)
  const create = db.prepare('insert into sessions values (?, 0, ?)')
  const move = db
    .prepare('update sessions set head = head + 1, last_activity_at = ? where id = ? returning head')
    .pluck()
  const insert = db.prepare('insert into session_events values (?, ?, ?, ?, ?, ?, ?, ?)')
  const last = db.prepare('select * from session_events where session_id = ? order by sequence desc limit ?')
  const append = db.transaction((sessionId: string, { type, role, content }: Message) => {
    const at = new Date().toISOString()
    const sequence = move.get(at, sessionId)
    insert.run(sessionId, sequence, crypto.randomUUID(), type, role, content, null, at)
  })
  const fill = db.transaction((sessionId: string, messages: readonly Message[]) => {
    for (const message of messages) append(sessionId, message)
  })
  let created = 0
  return {
    create() {
      const sessionId = `session-${created++}`
      create.run(sessionId, new Date().toISOString())
      return sessionId
    },
    append: append.immediate,
    last: (sessionId, count) => last.all(sessionId, count).reverse(),
    fill,
    close: () => void db.close(),
  }
}
