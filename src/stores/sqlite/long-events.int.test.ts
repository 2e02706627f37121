import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { open, type Session, type Throughline } from '../../index.ts'
import { LONG_EVENT } from './append.ts'

let folder: string
let tl: Throughline
let db: Database.Database

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  tl = await open({ url: `sqlite:${folder}/sessions.db`, index: false })
  db = new Database(join(folder, 'sessions.db'))
})
afterEach(async () => {
  db.close()
  await tl.close()
  await rm(folder, { recursive: true })
})

/** As long as a text may be in the row of its event. */
const LONG = 'x'.repeat(LONG_EVENT)
const count = (table: string, { id }: Session) =>
  db.prepare(`select count(*) from ${table} where session_id = ?`).pluck().get(id)

/** A session with events around the limit: one of them is long by its content, one by its parts. */
async function sessionWithLongEvents(): Promise<Session> {
  const session = await tl.sessions.create({ userId: 'ada' })
  await session.append([
    { type: 'user_message', content: LONG },
    { type: 'model_message', content: `${LONG}x`, parts: { note: 'short' } },
    { type: 'x.data', parts: { rows: LONG } },
  ])
  return session
}

it('long texts are stored outside the rows of the log, so that a lookup beside them does not load them', async () => {
  const session = await sessionWithLongEvents()
  const longest = `select max(octet_length(content) + octet_length(coalesce(parts, ''))) from session_events`
  expect(db.prepare(longest).pluck().get()).toBe(LONG_EVENT)
  expect(count('session_texts', session)).toBe(2)
  const log = db.prepare(
    'select content, parts from session_log where session_id = ? and sequence > 1 order by sequence',
  )
  expect(log.all(session.id)).toEqual([
    { content: LONG, parts: null },
    { content: `${LONG}x`, parts: '{"note":"short"}' },
    { content: '', parts: JSON.stringify({ rows: LONG }) },
  ])
})

it('reads, retries, forks and purges include long texts', async () => {
  const session = await sessionWithLongEvents()
  const again = [{ type: 'tool_result', content: `${LONG}y`, parts: { toolCallId: 'c1' } }] as const
  const first = await session.append(again, { idempotencyKey: 'k' })
  expect(await session.append(again, { idempotencyKey: 'k' })).toEqual(first)
  const fork = await session.fork({ chatmode: 'other', at: 4 })
  const texts = async (one: Session) => (await one.events({ limit: 10 })).slice(1, 4).map(({ content }) => content)
  expect(await texts(fork)).toEqual(await texts(session))
  expect((await texts(fork))[1]).toBe(`${LONG}x`)
  expect((await tl.verify()).differences).toEqual([])
  expect([count('session_texts', session), count('session_texts', fork)]).toEqual([3, 2])
  await tl.sessions.purge(session.id)
  expect([count('session_texts', session), count('session_texts', fork)]).toEqual([0, 2])
  expect(await texts(fork)).toHaveLength(3)
})

it('long texts are append-only too, and verify names those that were altered or deleted', async () => {
  const session = await sessionWithLongEvents()
  for (const sql of [
    "update session_texts set content = 'z'",
    'delete from session_texts',
    'insert or replace into session_texts select * from session_texts',
  ]) {
    expect(() => db.exec(sql), sql).toThrow('append-only')
  }
  db.exec('drop trigger session_texts_no_update; drop trigger session_texts_no_delete')
  db.exec("update session_texts set content = 'z' where sequence = 3; delete from session_texts where sequence = 4")
  const named = (await tl.verify(session.id)).differences.map(({ field, sequence }) => `${field} ${sequence}`)
  expect(named).toEqual(['log.checksum 3', 'log.checksum 4'])
})
