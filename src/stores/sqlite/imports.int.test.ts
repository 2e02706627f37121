import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import type { Store } from '../../ports/store.ts'
import { blockOf, endSteps, foreignSession, importSession, WORK } from '../conformance/import-samples.ts'
import { appendRequest, createSession, expectError, readLog } from '../conformance/samples.ts'
import { sqliteStore } from './index.ts'

let folder: string
let path: string
let store: Store

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  path = join(folder, 'sessions.db')
  store = await sqliteStore({ path, durability: 'full', migrate: true, newId: uuid7 })
})

afterEach(async () => {
  await store.close()
  await rm(folder, { recursive: true })
})

function stray<T>(work: (db: Database.Database) => T): T {
  const db = new Database(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** Tables that contain the text. */
function tablesWith(text: string): string[] {
  return stray((db) => {
    const tables = db
      .prepare<[], string>("select name from sqlite_schema where type = 'table' order by name")
      .pluck()
      .all()
    return tables.filter((table) => JSON.stringify(db.prepare(`select * from ${table}`).all()).includes(text))
  })
}

it('hides a pending import from SQL clients and protects its events', async () => {
  const life = foreignSession({}, WORK)
  await store.imports.write(blockOf(life, 0, 5))
  expect(stray((db) => db.prepare('select * from conversation_sessions').all())).toEqual([])
  expect(() => stray((db) => db.exec('delete from session_events'))).toThrow('append-only')
  await store.imports.write(blockOf(life, 5))
  const ids = stray((db) => db.prepare('select id from conversation_sessions').pluck().all())
  expect(ids).toEqual([life.sessionId])
  expect(tablesWith(life.sessionId)).not.toContain('session_imports')
})

it('leaves nothing of a discarded import, and only the commit of a purged one', async () => {
  const life = foreignSession({}, [...WORK, ...endSteps(1)])
  await store.imports.write(blockOf(life, 0, 10))
  expect(tablesWith(life.sessionId)).toEqual(['session_edges', 'session_events', 'session_imports', 'session_types'])
  await store.imports.discard(life)
  expect(tablesWith(life.sessionId)).toEqual([])
  await importSession(store, life)
  await store.purge(life, life.events[0]?.createdAt ?? '')
  expect(tablesWith(life.sessionId)).toEqual(['conversation_commits'])
})

it('T1 stores nothing of a block that fails, and other writes succeed', async () => {
  const other = await createSession(store)
  for (const isThere of [false, true]) {
    const life = foreignSession({}, WORK)
    await store.imports.write(blockOf(life, 0, 3, isThere))
    const before = await store.imports.find(life.sessionId)
    const block = blockOf(life, 3)
    const events = block.events.map((event) => (event.sequence === 6 ? { ...event, role: null as never } : event))
    const broken = expectError('STORAGE', store.imports.write({ ...block, events }))
    const beside = [store.append(appendRequest(other)), isThere && store.append(appendRequest(life.sessionId))]
    await Promise.all([broken, ...beside])
    const now = await store.imports.find(life.sessionId)
    expect(now?.view.record.head).toBe(isThere ? 4 : 3)
    if (!isThere) expect(now).toEqual(before)
    expect(
      stray((db) => db.prepare('select count(*) from session_events where session_id = ?').pluck().get(life.sessionId)),
    ).toBe(isThere ? 4 : 3)
  }
  expect(await readLog(store, other)).toHaveLength(3)
})
