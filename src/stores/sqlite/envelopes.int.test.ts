import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import { changeEnvelope, loadView } from '../conformance/envelope-samples.ts'
import { createSession, NOON, noonPlus } from '../conformance/samples.ts'
import { FIND_ENVELOPES, OF_BATCH, SELECT_ENVELOPES, SINCE } from './envelopes.ts'
import { sqliteStore } from './index.ts'
import { SELECT_VIEW } from './view-sql.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  path = join(folder, 'sessions.db')
})
afterEach(() => rm(folder, { recursive: true }))

const opened = () => sqliteStore({ path, durability: 'full', migrate: true, newId: uuid7 })

/** An external SQL client. */
function stray<T>(work: (db: Database.Database) => T): T {
  const db = new Database(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const columnOf = (sessionId: string, column: string) =>
  stray((db) => db.prepare(`select ${column} from session_envelopes where session_id = ?`).pluck().get(sessionId))

describe('the update time of an envelope', () => {
  it('is the current time if another client changes the row without setting it', async () => {
    const store = await opened()
    const [sessionId, other] = [await createSession(store), await createSession(store)]
    const before = new Date().toISOString()
    stray((db) => db.prepare("update session_envelopes set persona_id = 'hand' where session_id = ?").run(sessionId))
    const { envelope } = await loadView(store, { sessionId })
    const { created_at, updated_at } = envelope?.document.timestamps ?? { created_at: '', updated_at: '' }
    expect([envelope?.document.persona_id, created_at]).toEqual(['hand', NOON])
    expect(updated_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(updated_at >= before && updated_at <= new Date().toISOString()).toBe(true)
    expect(columnOf(other, 'updated_at')).toBe(NOON)
    stray((db) => db.prepare('update session_envelopes set updated_at = ?').run(noonPlus(7)))
    expect([columnOf(sessionId, 'updated_at'), columnOf(other, 'updated_at')]).toEqual([noonPlus(7), noonPlus(7)])
    await store.close()
  })

  it('is the time of the event if the store writes or repairs it', async () => {
    const store = await opened()
    const sessionId = await createSession(store)
    await store.decide(changeEnvelope(sessionId, { personaId: 'p' }, noonPlus(5)))
    await store.decide(changeEnvelope(sessionId, { personaId: 'q' }, noonPlus(5)))
    expect(columnOf(sessionId, 'updated_at')).toBe(noonPlus(5))
    const view = await loadView(store, { sessionId })
    expect(await store.repair({ sessionId }, view.record.head, view, [])).toBe(true)
    expect(await loadView(store, { sessionId })).toEqual(view)
    await store.close()
  })
})

describe('query plans of envelopes', () => {
  const plans: [what: string, sql: string, indexes: string[]][] = [
    ['the views of a session', SELECT_VIEW, ['s USING PRIMARY KEY (id=?)', 'e USING PRIMARY KEY (session_id=?)']],
    ['a page', SELECT_ENVELOPES, ['s USING PRIMARY KEY (id>?)', 'e USING PRIMARY KEY (session_id=?)']],
    ['some by id', FIND_ENVELOPES, ['s USING PRIMARY KEY (id=?)', 'e USING PRIMARY KEY (session_id=?)']],
    ['the count of a batch', OF_BATCH.count, ['session_envelopes_batch (batch=?)']],
    ['what to remove of a batch', OF_BATCH.remove, ['session_envelopes_batch (batch=?)', '(session_id=?)']],
    ['the count since a moment', SINCE.count, ['session_envelopes_updated (updated_at>?)']],
    ['what to remove since a moment', SINCE.remove, ['session_envelopes_updated (updated_at>?)', '(session_id=?)']],
  ]
  it.each(plans)('serve %s by an index', async (_, sql, indexes) => {
    await (await opened()).close()
    const names = sql.match(/@\w+/g) ?? []
    const values = names.length > 0 ? [Object.fromEntries(names.map((name) => [name.slice(1), '[]']))] : ['']
    const plan = stray((db) => db.prepare<unknown[], { detail: string }>(`explain query plan ${sql}`).all(...values))
    const lines = plan.map(({ detail }) => detail).filter((line) => !line.includes('json_each'))
    for (const index of indexes) expect(lines.join('; ')).toContain(index)
    expect(lines.join('; ')).not.toContain('SCAN')
    // only the rows since the time are sorted by id
    if (sql !== SINCE.remove) expect(lines.join('; ')).not.toContain('USE TEMP B-TREE')
  })
})
