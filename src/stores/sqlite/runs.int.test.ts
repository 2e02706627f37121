import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import type { Store } from '../../ports/store.ts'
import { finishRun, startRun } from '../conformance/run-samples.ts'
import { appendRequest, createSession, noonPlus, upTo } from '../conformance/samples.ts'
import { UPDATE_HEAD } from './head-cache.ts'
import { sqliteStore } from './index.ts'
import { askingSql, claimableSql, SELECT_ANY_DUE, SELECT_NEXT_CHATMODE, SELECT_NEXT_TENANT } from './runs.ts'

let folder: string
let path: string
let store: Store

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  path = join(folder, 'sessions.db')
  // one tenant in each piece of a search
  store = await sqliteStore({ path, migrate: true, durability: 'full', newId: uuid7, pieceMs: 0 })
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

describe('a search for sessions that need work', () => {
  it('goes from tenant to tenant in pieces, and round to the first again', async () => {
    const names = upTo(9).map((n) => `tenant ${n}`)
    for (const tenant of names) {
      const ids = [await createSession(store, { tenant }), await createSession(store, { tenant, chatmode: 'other' })]
      // every third tenant has nothing to do
      const isIdle = tenant === 'tenant 3' || tenant === 'tenant 6' || tenant === 'tenant 9'
      for (const id of isIdle ? ids : []) await startRun(store, id, noonPlus(0), noonPlus(60))
    }
    const busy = names.filter((_, i) => i % 3 !== 2)
    const turns = async (after: string, tenants = 99, limit = 1) => {
      const found = await store.claimable({ at: noonPlus(1), after, tenants, limit })
      return found.map(({ tenant }) => tenant)
    }
    expect(await turns('')).toEqual(busy)
    expect(await turns('tenant 9')).toEqual(busy)
    expect(await turns('tenant 5')).toEqual([...busy.slice(4), ...busy.slice(0, 4)])
    expect(await turns('tenant 6', 3)).toEqual(['tenant 7', 'tenant 8', 'tenant 1'])
    expect(await turns('tenant 8', 1, 9)).toEqual(['tenant 1', 'tenant 1'])
  })
})

describe('a message', () => {
  it('opens no index, and writes when its session became due only once', async () => {
    const opened = stray((db) =>
      db.prepare<unknown[], { opcode: string }>(`explain ${UPDATE_HEAD}`).all(1, 1, 1, '', ''),
    )
    expect(opened.filter(({ opcode }) => opcode === 'OpenWrite')).toHaveLength(1)
    const sessionId = await createSession(store)
    await startRun(store, sessionId, noonPlus(0), noonPlus(9))
    await finishRun(store, sessionId, noonPlus(1))
    const dueAt = () => stray((db) => db.prepare('select due_at from sessions').pluck().get())
    expect(dueAt()).toBeNull()
    for (const n of upTo(3)) {
      await store.append(appendRequest(sessionId, { at: noonPlus(10 + n) }))
      expect(dueAt()).toBe(noonPlus(11))
    }
    await startRun(store, sessionId, noonPlus(20), noonPlus(29))
    await store.append(appendRequest(sessionId, { at: noonPlus(21) }))
    expect(dueAt()).toBe(noonPlus(29))
  })

  it('makes a session due that another process finished a run on', async () => {
    const other = await sqliteStore({ path, migrate: true, durability: 'full', newId: uuid7 })
    const sessionId = await createSession(store)
    await startRun(store, sessionId, noonPlus(0), noonPlus(9))
    await store.append(appendRequest(sessionId, { at: noonPlus(1), run: 1 }))
    await finishRun(other, sessionId, noonPlus(2))
    await store.append(appendRequest(sessionId, { at: noonPlus(3) }))
    await expect(store.append(appendRequest(sessionId, { at: noonPlus(3), run: 1 }))).rejects.toThrow('run 1')
    const found = await other.claimable({ at: noonPlus(3), tenants: 1, limit: 9 })
    expect(found.map((session) => session.sessionId)).toEqual([sessionId])
    await other.close()
  })
})

describe('query plans', () => {
  const within = { tenant: 'a' }
  const ofUser = { within: { tenant: 'a', userId: 'u' } }
  const cursor = { requestsAt: '', id: '' }
  const claim = 'COVERING INDEX sessions_claimable (tenant=? AND chatmode=? AND due_at<?)'
  const plans: [what: string, sql: string, index: string][] = [
    ['whether any session is due', SELECT_ANY_DUE, 'COVERING INDEX sessions_due_at (due_at<?)'],
    ['the next tenant', SELECT_NEXT_TENANT, 'COVERING INDEX sessions_claimable (tenant>?)'],
    ['the next chatmode', SELECT_NEXT_CHATMODE, 'COVERING INDEX sessions_claimable (tenant=? AND chatmode>?)'],
    ['due sessions', claimableSql({}), claim],
    ['due sessions of a chatmode', claimableSql({ chatmode: 'c', within }), claim],
    ['due sessions of agents', claimableSql({ agents: [] }), claim],
    ['open requests', askingSql({ status: 'open' }), 'INDEX sessions_asking (tenant=?)'],
    [
      'open requests of a user',
      askingSql({ status: 'open', userId: 'u' }),
      'INDEX sessions_asking_user (tenant=? AND user_id=?)',
    ],
    ['all requests', askingSql({ status: 'any' }), 'COVERING INDEX sessions_asked (tenant=? AND requests_at>?)'],
    [
      'all requests of a user',
      askingSql({ status: 'any', userId: 'u' }),
      'COVERING INDEX sessions_asked_user (tenant=? AND user_id=? AND requests_at>?)',
    ],
    ['a page of open requests', askingSql({ status: 'open', cursor }), 'AND (requests_at,id)<(?,?))'],
    ['a page of a user', askingSql({ status: 'any', userId: 'u', cursor }), 'AND (requests_at,id)<(?,?))'],
  ]
  it.each(plans)('serve %s in the order of an index', (_, sql, index) => {
    const plan = planOf(sql)
    expect(plan).toContain(index)
    expect(plan).not.toMatch(/TEMP B-TREE|SCAN/)
  })

  it.each([
    ['any chatmode', claimableSql(ofUser), 'sessions_one_active (tenant=? AND user_id=?)'],
    ['one', claimableSql({ ...ofUser, chatmode: 'c' }), 'sessions_one_active (tenant=? AND user_id=? AND chatmode=?)'],
  ])('sort only live sessions of a user, of %s', (_, sql, index) => {
    expect(planOf(sql)).toContain(index)
  })

  function planOf(sql: string): string {
    const names = Object.fromEntries((sql.match(/@\w+/g) ?? []).map((name) => [name.slice(1), '[]']))
    const plan = stray((db) => db.prepare<[object], { detail: string }>(`explain query plan ${sql}`).all(names))
    // a list parameter is a table to SQL
    const lines = plan.map(({ detail }) => detail).filter((line) => !line.includes('json_each'))
    return lines.join('; ')
  }
})
