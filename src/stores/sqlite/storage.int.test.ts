import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import type { StorageQuery } from '../../ports/session-store.ts'
import { createSession, putRequest, someMemory } from '../conformance/samples.ts'
import { collectStorage, type StorageKind } from '../storage-pages.ts'
import { sqliteStore } from './index.ts'
import { storageReader, storageSql } from './storage.ts'

/** Sessions of 4 tenants and 10 users, some of one minute. */
const SESSIONS = 300

let folder: string
let db: Database.Database

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  const path = join(folder, 'sessions.db')
  const store = await sqliteStore({ path, durability: 'relaxed', migrate: true, newId: uuid7 })
  for (let n = 0; n < SESSIONS; n++) {
    const at = new Date(Date.UTC(2026, 0, 1) + Math.floor(n / 40) * 60_000).toISOString()
    const owner = { tenant: `t${n % 4}`, userId: `u${n % 10}` }
    await createSession(store, { ...owner, at })
    if (n % 5 === 0) await store.memories.change(putRequest([{ memory: someMemory(owner) }], owner))
  }
  await store.close()
  db = new Database(path)
})
afterEach(async () => {
  db.close()
  await rm(folder, { recursive: true })
})

const QUERIES: readonly Omit<StorageQuery, 'limit'>[] = [
  { by: 'tenant' },
  { by: 'tenant', tenant: 't1' },
  { by: 'tenant', userId: 'u3' },
  { by: 'user', tenant: 't0' },
  { by: 'user', tenant: 't1', userId: 'u3' },
  { by: 'user', tenant: 'nobody' },
]

describe('a report of storage', () => {
  it.each(QUERIES)('of %j has the same sums in pieces of any size', async (query) => {
    const report = async (rows: number, limit: number) => {
      const reader = storageReader(db, rows)
      const items = []
      for (let after: string | undefined; ; ) {
        const page: StorageQuery = { ...query, limit, ...(after !== undefined && { after }) }
        const groups = await collectStorage(page, async (kind, position) => reader.piece(page, kind, position))
        items.push(...groups)
        after = groups.at(-1)?.key
        if (groups.length < limit) return items
      }
    }
    const whole = await report(100_000, 1000)
    const { tenant = null, userId = null } = query
    const expected = db
      .prepare(
        `select coalesce(sum(bytes), 0) from sessions where (@tenant is null or tenant = @tenant)
          and (@userId is null or user_id = @userId)`,
      )
      .pluck()
      .get({ tenant, userId })
    const memories = whole.reduce((sum, group) => sum + group.memories, 0)
    const perMemory = Buffer.byteLength(someMemory().content)
    expect(whole.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(Number(expected) + memories * perMemory)
    for (const rows of [1, 7, 40]) expect(await report(rows, 3), `${rows} rows`).toEqual(whole)
  })
})

describe('query plans', () => {
  const indexes: Record<StorageKind, string> = { sessions: 'sessions_user', memories: 'sqlite_autoindex_memories' }
  it.each(QUERIES)('serve the pieces of %j in the order of an index', (query) => {
    for (const [kind, index] of Object.entries(indexes)) {
      for (const isContinued of [false, true]) {
        const { end, sums } = storageSql(query, kind as StorageKind, isContinued)
        for (const sql of [end, sums(true)]) {
          const names = Object.fromEntries((sql.match(/@\w+/g) ?? []).map((name) => [name.slice(1), 1]))
          const plan = db.prepare<[object], { detail: string }>(`explain query plan ${sql}`).all(names)
          const lines = plan.map(({ detail }) => detail).join('; ')
          expect(lines, sql).toContain(index)
          expect(lines, sql).not.toContain('TEMP B-TREE')
          if (query.tenant !== undefined) expect(lines, sql).toContain('tenant=?')
          if (query.tenant !== undefined && isContinued) expect(lines, sql).toMatch(/\(\w+(,\w+)*\)>|>\?/)
        }
      }
    }
  })
})
