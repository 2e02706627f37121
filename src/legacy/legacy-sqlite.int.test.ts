import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { fillLegacy } from '../../test/servers/legacy-data.ts'
import type { LegacySession } from '../domain/legacy.ts'
import { legacySource } from './index.ts'

let folder: string
let path: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  path = join(folder, 'legacy.db')
})
afterEach(() => rm(folder, { recursive: true }))

function run(sql: string): void {
  const db = new Database(path)
  try {
    db.exec(sql)
  } finally {
    db.close()
  }
}

async function readAll(): Promise<LegacySession[]> {
  const source = await legacySource({ url: `sqlite:${path}` })
  try {
    const all: LegacySession[] = []
    for await (const session of source.sessions()) all.push(session)
    return all
  } finally {
    await source.close()
  }
}

describe('a SQLite file', () => {
  it('may hold times of every kind, side by side', async () => {
    const persona = (name: string) => `'{"role":"user","persona_id":"${name}","tenant":"${name}"}'`
    run(`
      create table session_events (id integer, session_id, occurred_at, payload);
      insert into session_events values
        (6, 's', 1740830403, ${persona('last')}),
        (1, 's', '2025-03-01T12:00:03Z', ${persona('d')}),
        (2, 's', 1740830402.5, ${persona('c')}),
        (3, 's', 1740830401000, ${persona('b')}),
        (4, 's', '2025-03-01 12:00:00', ${persona('a')}),
        (5, 's', 'some day', ${persona('first')})`)
    expect(await readAll()).toMatchObject([
      {
        tenant: 'first',
        personaId: 'last',
        createdAt: '2025-03-01T12:00:00.000Z',
        updatedAt: '2025-03-01T12:00:03.000Z',
        events: 6,
      },
    ])
  })

  it('may write its names in other cases, hold ids that are numbers, and payloads that are bytes', async () => {
    run(`
      create table session_events (ID integer primary key, Session_Id integer, Occurred_At text, Payload blob);
      insert into session_events values (1, 10, '2025-03-01', cast('{"role":"user","persona_id":"p"}' as blob)),
        (2, 9, '2025-03-01', x'ff00')`)
    expect(await readAll()).toMatchObject([
      { id: '10', personaId: 'p', problems: [] },
      { id: '9', problems: ['payload is not an object'] },
    ])
  })

  it('keeps ids apart that a collation would not', async () => {
    run(`
      create table session_events (id integer primary key, session_id text collate nocase, occurred_at text, payload text);
      insert into session_events (session_id, payload) values ('a', '{}'), ('A', '{}'), ('a', '{}'), ('A', '{}')`)
    expect(await readAll()).toMatchObject([
      { id: 'A', events: 2 },
      { id: 'a', events: 2 },
    ])
  })

  it('is sorted in pieces, between which other work runs', async () => {
    await fillLegacy(`sqlite:${path}`, { sessions: 100, eventsEach: 200 })
    let turns = 0
    const count = () => {
      turns++
      turn = setImmediate(count)
    }
    let turn = setImmediate(count)
    expect(await readAll()).toHaveLength(100)
    clearImmediate(turn)
    expect(turns).toBeGreaterThan(2)
  })

  it('keeps ids apart that are too large for a number', async () => {
    run(`
      create table session_events (id integer primary key, session_id text, occurred_at integer, payload text);
      insert into session_events values
        (9007199254740993, 's', 1, '{"role":"user","persona_id":"last"}'),
        (9007199254740992, 's', 1, '{"role":"user","persona_id":"first"}')`)
    expect(await readAll()).toMatchObject([{ personaId: 'last' }])
  })

  it('that is not there is not made', async () => {
    await expect(readAll()).rejects.toMatchObject({ code: 'STORAGE', message: expect.stringContaining(path) })
    await expect(legacySource({ url: `sqlite:${folder}/no/x.db` })).rejects.toMatchObject({ code: 'STORAGE' })
    await expect(rm(path)).rejects.toThrow('ENOENT')
  })

  it('that is no database is refused as one that failed', async () => {
    await writeFile(path, 'not a database '.repeat(100))
    await expect(readAll()).rejects.toMatchObject({ code: 'STORAGE', message: expect.stringContaining('NOTADB') })
  })
})
