import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import type { UsageQuery } from '../../ports/session-store.ts'
import { createSession } from '../conformance/samples.ts'
import { collectUsage } from '../usage-pages.ts'
import { sqliteStore } from './index.ts'
import { usageReader, usageSql } from './usage.ts'

let folder: string
let path: string
let db: Database.Database

/**
 * Rows of 4 tenants, 10 users, 30 days and many models in turn, and some of sessions that are being removed or
 * imported.
 */
function fill(ids: readonly string[]): void {
  const insert = db.prepare(`
    insert into session_usage values (?, ?, ?, ?, ?, 1, ?, 0, 0, 0, 0)`)
  const add = (id: string, n: number, model: string, tenant: string, user: string) =>
    insert.run(id, `2026-01-${`${1 + (n % 30)}`.padStart(2, '0')}`, model, tenant, user, n)
  for (let n = 1; n <= 1000; n++) add(ids[n % ids.length] ?? '', n, `m${n % 7}-${n}`, `t${n % 4}`, `u${n % 10}`)
  const hide = db.prepare(`insert into hidden_sessions values (?, 't0', 'u0', null, '2026-01-31')`)
  const begin = db.prepare(
    `insert into session_imports (session_id, tenant, user_id, head, view) values (?, 't0', 'u0', 1, '{}')`,
  )
  for (let n = 1; n <= 90; n++) {
    add(`gone-${n}`, 0, 'gone', 't0', 'u0')
    const invisible = n % 2 === 0 ? hide : begin
    invisible.run(`gone-${n}`)
  }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  path = join(folder, 'sessions.db')
  const store = await sqliteStore({ path, durability: 'full', migrate: true, newId: uuid7 })
  const ids = [await createSession(store), await createSession(store)]
  await store.close()
  db = new Database(path)
  db.transaction(fill)(ids)
})
afterEach(async () => {
  db.close()
  await rm(folder, { recursive: true })
})

const QUERIES: readonly Omit<UsageQuery, 'by' | 'limit'>[] = [
  { tenant: 't0' },
  { tenant: 't1', userId: 'u3' },
  { tenant: 't0', since: '2026-01-10', until: '2026-01-21' },
  { tenant: 'nobody' },
]

describe('a report', () => {
  it.each(['tenant', 'user', 'day', 'model'] as const)('by %s has the same sums in pieces of any size', async (by) => {
    const all = by === 'tenant' ? [{}, { until: '2026-01-05' }, ...QUERIES] : QUERIES
    for (const query of all) {
      const report = async (rows: number, limit: number) => {
        const reader = usageReader(db, rows)
        const items = []
        for (let after: string | undefined; ; ) {
          const page: UsageQuery = { by, ...query, limit, ...(after !== undefined && { after }) }
          const groups = await collectUsage(page, async (position) => reader.piece(page, position))
          items.push(...groups)
          after = groups.at(-1)?.key
          if (groups.length < limit) return items
        }
      }
      const whole = await report(100_000, 100_000)
      const { tenant, userId, since = '', until = '~' } = query
      const expected = db
        .prepare(
          `select coalesce(sum(input_tokens), 0) from session_usage where (@tenant is null or tenant = @tenant)
            and (@userId is null or user_id = @userId) and day >= @since and day < @until and model <> 'gone'`,
        )
        .pluck()
        .get({ tenant: tenant ?? null, userId: userId ?? null, since, until })
      expect(whole.reduce((sum, { inputTokens }) => sum + inputTokens, 0)).toBe(expected)
      for (const rows of [1, 7, 250]) expect(await report(rows, 3), `${rows} rows`).toEqual(whole)
    }
  })

  it('ends behind its last group where the index has the order of the groups', async () => {
    const reader = usageReader(db, 10)
    const piecesOf = async (by: UsageQuery['by']) => {
      let pieces = 0
      const query = { by, tenant: 't0', limit: 1 } as const
      await collectUsage(query, async (position) => {
        pieces++
        return reader.piece(query, position)
      })
      return pieces
    }
    expect(await piecesOf('model')).toBeGreaterThan(30)
    // of 250 rows and the 90 that are gone
    expect(await piecesOf('user')).toBeLessThan(25)
    expect(await piecesOf('day')).toBeLessThan(15)
  })
})

describe('query plans', () => {
  const cases: [UsageQuery['by'], Omit<UsageQuery, 'by' | 'limit'>, string][] = [
    ['user', { tenant: 't' }, 'session_usage_user (tenant=?'],
    ['user', { tenant: 't', since: 'a', until: 'b', after: 'c' }, 'session_usage_user (tenant=?'],
    ['day', { tenant: 't', since: 'a', until: 'b' }, 'session_usage_day (tenant=?'],
    ['model', { tenant: 't', userId: 'u', since: 'a' }, 'session_usage_user (tenant=? AND user_id=?'],
    ['tenant', { tenant: 't' }, 'session_usage_day (tenant=?'],
    ['tenant', {}, 'session_usage_day'],
  ]
  it.each(cases)('serve the pieces of a report by %s of %j by %s', (by, query, index) => {
    for (const isContinued of [false, true]) {
      const { end, sums } = usageSql({ by, ...query }, isContinued)
      for (const sql of [end, sums(true), sums(false)]) {
        const names = Object.fromEntries((sql.match(/@\w+/g) ?? []).map((name) => [name.slice(1), 1]))
        const plan = db.prepare<[object], { detail: string }>(`explain query plan ${sql}`).all(names)
        const lines = plan.map(({ detail }) => detail).join('; ')
        expect(lines, sql).toContain(index)
        expect(lines, sql).not.toContain('FOR ORDER BY')
        expect(lines, sql).not.toMatch(/\bsessions\b/)
      }
    }
  })
})
