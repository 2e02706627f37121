import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { firstInShortRun } from '../../test/proof.ts'
import { startChild } from '../../test/servers/child-process.ts'
import { databasesOf } from '../../test/servers/database.ts'
import { fillLegacy } from '../../test/servers/legacy-data.ts'
import type { ThroughlineError } from '../domain/errors.ts'
import type { LegacySession } from '../domain/legacy.ts'
import { open } from '../open/open.ts'
import type { LegacySource } from '../ports/legacy-source.ts'
import { legacySource } from './index.ts'

/** A database, as any client of it sees it. */
interface Place {
  url: string
  run(sql: string): Promise<unknown>
  /** Takes all tables away. */
  empty(): Promise<void>
  destroy(): Promise<void>
}

interface Kind {
  name: string
  /** Types of a payload. */
  payloads: readonly string[]
  time: string
  /** An empty database. */
  create(): Promise<Place>
}

const sqlite: Kind = {
  name: 'sqlite',
  payloads: ['text', 'jsonb', ''],
  time: 'text',
  async create() {
    const folder = await mkdtemp(join(tmpdir(), 'throughline-'))
    const file = join(folder, 'legacy.db')
    const using = (sql: string) => {
      const db = new Database(file)
      db.exec(`pragma journal_mode = wal; ${sql}`)
      db.close()
    }
    return {
      url: `sqlite:${file}`,
      run: async (sql) => using(sql),
      async empty() {
        for (const name of await readdir(folder)) await rm(join(folder, name))
      },
      destroy: () => rm(folder, { recursive: true }),
    }
  },
}

function postgres({ name, url }: { name: string; url: string }): Kind {
  return {
    name,
    payloads: ['jsonb', 'json', 'text'],
    time: 'timestamptz',
    async create() {
      const databases = await databasesOf(url)
      const database = await databases.create('bare')
      return {
        url: database.url(),
        run: database.admin,
        async empty() {
          await database.admin('drop schema public cascade; create schema public')
        },
        async destroy() {
          await database.destroy()
          await databases.close()
        },
      }
    },
  }
}

type Row = readonly [session: string | null, at: string | null, payload: unknown]

const literal = (value: unknown) => {
  if (value === null || value === undefined) return 'null'
  return `'${(typeof value === 'string' ? value : JSON.stringify(value)).replaceAll("'", "''")}'`
}

const inserted = (rows: readonly Row[], table = 'session_events') =>
  `insert into ${table} (session_id, occurred_at, payload) values ${rows
    .map((row) => `(${row.map(literal).join(', ')})`)
    .join(', ')};`

async function gathered(sessions: AsyncIterable<LegacySession>): Promise<LegacySession[]> {
  const all: LegacySession[] = []
  for await (const session of sessions) all.push(session)
  return all
}

/** How the call fails. */
async function failure(call: Promise<unknown>): Promise<ThroughlineError> {
  return await call.then(
    () => {
      throw new Error('did not fail')
    },
    (error) => error,
  )
}

const CHILD = `
  import { legacySource } from '${new URL('./index.ts', import.meta.url)}'
  const source = await legacySource({ url: JSON.parse(process.argv[2]).url })
  for await (const session of source.sessions()) {
    const { events, createdAt, updatedAt, problems, metadata } = session
    console.log(JSON.stringify({ events, createdAt, updatedAt, problems, keys: Object.keys(metadata) }))
  }
  await source.close()`

describe.each([sqlite, ...firstInShortRun(inject('postgres')).map(postgres)])('on $name', (kind) => {
  let place: Place
  const opened: LegacySource[] = []
  beforeAll(async () => {
    place = await kind.create()
  })
  afterAll(() => place.destroy())
  afterEach(async () => {
    for (const source of opened.splice(0)) await source.close()
    await place.empty()
  })

  const columns = (payload = kind.payloads[0], time = kind.time) =>
    `id ${kind === sqlite ? 'integer' : 'serial'} primary key, session_id text, occurred_at ${time}, payload ${payload}`

  async function make(rows: readonly Row[], payload?: string, table = 'session_events'): Promise<void> {
    await place.run(`create table ${table} (${columns(payload)});${rows.length > 0 ? inserted(rows, table) : ''}`)
  }

  async function source(table?: string): Promise<LegacySource> {
    const made = await legacySource({ url: place.url, ...(table !== undefined && { table }) })
    opened.push(made)
    return made
  }

  async function read(table?: string): Promise<LegacySession[]> {
    return await gathered((await source(table)).sessions())
  }

  const analysis = { intent: 'plan', sentiment: 'neutral', tags: ['trip'] }

  it.each(kind.payloads)('takes payloads of type %j', async (type) => {
    const metadata = { tenant: 'acme', subject: 'ada', issuer: 'i', scope: 's', analysis, channel: 'web', n: [1, null] }
    await make(
      [
        ['s1', '2025-01-01T00:00:00Z', { role: 'user', persona_id: 'guide', message: 'hi', metadata }],
        ['s1', '2025-01-01T00:00:01.5Z', { role: 'assistant', persona_id: null, message: 'x'.repeat(5000) }],
        ['s2', '2025-01-02T00:00:00Z', { type: 'user_message', tenant: 'top', subject: 'bob', analysis }],
        ['s2', '2025-01-02T00:00:01Z', { type: 'assistant', persona_id: 'coach', metadata: {} }],
        ['s2', '2025-01-02T00:00:02Z', { type: 'tool_call', persona_id: 'tool', scope: 'late' }],
        ['s3', '2025-01-03T00:00:00Z', ['no object']],
        ['s3', '2025-01-03T00:00:01Z', null],
      ],
      type,
    )
    const [s1, s2, s3, ...more] = await read()
    expect(s1).toEqual({
      id: 's1',
      personaId: 'guide',
      tenant: 'acme',
      subject: 'ada',
      issuer: 'i',
      scope: 's',
      metadata: { channel: 'web', n: [1, null] },
      analysis,
      createdAt: '2025-01-01T00:00:00.000Z',
      updatedAt: '2025-01-01T00:00:01.500Z',
      events: 2,
      problems: [],
    })
    expect(s2).toMatchObject({
      personaId: 'coach',
      tenant: 'top',
      subject: 'bob',
      scope: 'late',
      analysis,
      problems: [],
    })
    expect(s3).toMatchObject({ id: 's3', events: 2, problems: ['payload is not an object', 'payload is missing'] })
    expect(more).toEqual([])
  })

  it('takes text that is no JSON, and JSON with what no store holds, as problems of the session', async () => {
    await make(
      [
        ['a', '2025-01-01T00:00:00Z', '{"role": "user", '],
        ['b', '2025-01-01T00:00:00Z', '{"role": "user", "metadata": {"k": "\\u0000 \\ud800", "n": 1e999}}'],
      ],
      'text',
    )
    const [a, b] = await read()
    expect(a).toMatchObject({ id: 'a', events: 1, problems: ['payload is not an object'] })
    expect(b).toMatchObject({
      metadata: { k: '\ufffd \ufffd', n: null },
      problems: [{}, {}].map(() => expect.any(String)),
    })
  })

  it('takes columns instead of a payload', async () => {
    await place.run(`
      create table session_events (id integer primary key, session_id text, occurred_at ${kind.time}, role text,
        persona_id text, metadata ${kind.payloads[0]}, analysis ${kind.payloads[0]}, tenant text, scope text);
      insert into session_events values
        (1, 's', '2025-01-01T00:00:00Z', 'user', 'first', '{"a":1,"tenant":"x"}', '{"intent":"ask"}', null, null),
        (2, 's', '2025-01-01T00:00:01Z', 'assistant', 'second', null, null, 'acme', null),
        (3, 's', '2025-01-01T00:00:02Z', 'tool', 'third', '{"b":1}', null, 'other', 'chat')`)
    expect(await read()).toMatchObject([
      {
        tenant: 'x',
        scope: 'chat',
        personaId: 'second',
        metadata: { a: 1 },
        analysis: { intent: 'ask' },
        problems: [],
      },
    ])
  })

  it('takes columns beside a payload, and a table that has no roles', async () => {
    await place.run(`
      create table mixed (${columns()}, role text, tenant text);
      insert into mixed (session_id, occurred_at, payload, role, tenant) values
        ('s', '2025-01-01T00:00:00Z', '{"persona_id":"p","tenant":"x"}', 'user', 'acme');
      create table bare (id integer, session_id text, occurred_at ${kind.time}, persona_id text);
      insert into bare values (1, 's', '2025-01-01T00:00:00Z', 'p')`)
    expect(await read('mixed')).toMatchObject([{ personaId: 'p', tenant: 'acme', problems: [] }])
    expect(await read('bare')).toMatchObject([{ personaId: 'p', problems: [] }])
  })

  it('L1: gives each session once, in order of bytes, from behind a given one', async () => {
    const ids = ['b', 'B', 'a-b', 'ab', 'ä', 'a', 'z', '😀', '\uffee', 'AB']
    const ordered = ids.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))
    const rows = [0, 1, 2].flatMap((n) => ids.map((id): Row => [id, `2025-01-01T00:00:0${n}Z`, { role: 'user' }]))
    await make([...rows, [null, null, { role: 'user' }]])
    const all = await read()
    expect(all.map(({ id }) => id)).toEqual(['', ...ordered])
    expect(all.map(({ events }) => events)).toEqual([1, ...ordered.map(() => 3)])
    const source2 = await source()
    expect(await source2.count()).toBe(11)
    for (const [index, id] of ordered.entries()) {
      expect(await source2.count(id)).toBe(9 - index)
      expect((await gathered(source2.sessions(id))).map((session) => session.id)).toEqual(ordered.slice(index + 1))
    }
  })

  it('L2: folds by time, then by id, whatever the order of the rows', async () => {
    const persona = (persona_id: string) => ({ role: 'user', persona_id, tenant: persona_id })
    await make([
      ['s', '2025-01-01T00:00:00.000002Z', persona('last')],
      ['s', '2025-01-01T00:00:00.000001Z', persona('between')],
      ['s', null, persona('first')],
      ['t', '2025-01-01T02:00:00+02:00', persona('first')],
      ['t', '2025-01-01T00:00:00Z', persona('last')],
    ])
    await place.run(
      `insert into session_events (id, session_id, occurred_at, payload) values ${[30, 10, 20]
        .map((id) => `(${id}, 'u', '2025-01-01T00:00:00Z', ${literal(persona(`p${id}`))})`)
        .join(', ')}`,
    )
    expect(await read()).toMatchObject([
      { id: 's', tenant: 'first', personaId: 'last', createdAt: '2025-01-01T00:00:00.000Z' },
      { id: 't', tenant: 'first', personaId: 'last' },
      { id: 'u', tenant: 'p10', personaId: 'p30' },
    ])
  })

  it('L3: reads at one moment, and does not change anything', async () => {
    // a SQLite file can be written to while it is read only if it has a write-ahead log
    await place.run('')
    await fillLegacy(place.url, { sessions: 2000, eventsEach: 1 })
    const before = await source()
    const seen: LegacySession[] = []
    for await (const session of before.sessions()) {
      if (seen.push(session) === 1) {
        await place.run(`
          insert into session_events (session_id, occurred_at, payload) values ('zzz', '2025-01-01T00:00:00Z', '{}');
          update session_events set payload = '[]'; delete from session_events where session_id like 'f%'`)
      }
    }
    expect(seen).toHaveLength(2000)
    expect(seen.filter(({ problems }) => problems.length > 0)).toHaveLength(2)
    expect(await before.count()).toBe(2000)
    expect((await read()).at(-1)?.id).toBe('zzz')
  })

  it('L2: holds one of many events at a time', async () => {
    const many = 50_000
    await place.run(`create table session_events (${columns()})`)
    await place.run(
      kind === sqlite
        ? `with recursive r (n) as (select 1 union all select n + 1 from r where n < ${many})
           insert into session_events (session_id, occurred_at, payload)
           select 's', 1735689600 + n, json_object('role', 'user', 'message', 'hi',
             'metadata', json_object('last', hex(randomblob(600)))) from r`
        : `insert into session_events (session_id, occurred_at, payload)
           select 's', timestamptz '2025-01-01Z' + n * interval '1 s',
             jsonb_build_object('role', 'user', 'message', 'hi',
               'metadata', jsonb_build_object('last', repeat(md5(n::text), 40)))
           from generate_series(1, ${many}) n`,
    )
    const folder = await mkdtemp(join(tmpdir(), 'throughline-'))
    try {
      const file = join(folder, 'child.mjs')
      await writeFile(file, CHILD)
      const node = ['--max-old-space-size=24', '--max-semi-space-size=2']
      const { lines } = await startChild(pathToFileURL(file), { url: place.url }, node).done
      const times = { createdAt: '2025-01-01T00:00:01.000Z', updatedAt: '2025-01-01T13:53:20.000Z' }
      expect(lines).toEqual([{ events: many, ...times, problems: [], keys: ['last'] }])
    } finally {
      await rm(folder, { recursive: true })
    }
  })

  it('reads twice at once, stops half way, and closes under a reader', async () => {
    await fillLegacy(place.url, { sessions: 3000, eventsEach: 2 })
    const both = await source()
    const one = both.sessions()[Symbol.asyncIterator]()
    const other = both.sessions()[Symbol.asyncIterator]()
    for (let n = 0; n < 300; n++) expect((await one.next()).value).toEqual((await other.next()).value)
    await one.return?.()
    expect(await both.count()).toBe(3000)
    await both.close()
    await both.close()
    const rest = async () => {
      while (!(await other.next()).done);
    }
    expect(await failure(rest())).toMatchObject({ code: 'STORAGE' })
    expect(await failure(both.count())).toMatchObject({ code: 'STORAGE' })
  })

  it('reads tables that nobody would call so', async () => {
    const names = ['Sessions "old"', "it's; drop table kept; --", 'a.b', 'select', "') union select 1 --", 'ünï\\$1']
    for (const name of names) {
      const quoted = `"${name.replaceAll('"', '""')}"`
      await make([[name, '2025-01-01T00:00:00Z', { role: 'user', persona_id: 'p' }]], undefined, quoted)
      expect(await read(name)).toMatchObject([{ id: name, personaId: 'p' }])
    }
  })

  it('refuses tables that are not there, and runs nothing of their names', async () => {
    await make([['s', '2025-01-01T00:00:00Z', {}]])
    for (const name of ['"session_events"', 'session_events; drop table session_events', "x' or '1'='1", '', 'a\0b']) {
      expect(await failure(source(name)), name).toMatchObject({ code: 'VALIDATION', field: 'table' })
    }
    expect(await read()).toHaveLength(1)
  })

  it('names missing and existing columns', async () => {
    await place.run(`create table session_events (id integer, session text, payload text);
      create table other (id integer, session_id text, occurred_at ${kind.time}, body text)`)
    const error = await failure(source())
    expect(error).toMatchObject({ code: 'VALIDATION', field: 'from' })
    expect(error.message).toMatch(/has no 'session_id', 'occurred_at', only id, session, payload;/)
    expect((await failure(source('other'))).message).toMatch(/^table: .*'other' has no 'payload' \(or one of role/)
    await place.run('drop table session_events')
    expect((await failure(source())).message).toMatch(/^from: table 'session_events' not found/)
  })

  it('reads a view with the needed column names', async () => {
    await place.run(`create table chat (n integer, conversation text, at ${kind.time}, body text);
      insert into chat values (1, 's', '2025-01-01T00:00:00Z', '{"role":"user","persona_id":"p"}');
      create view old_events as select n as id, conversation as session_id, at as occurred_at, body as payload from chat`)
    expect(await read('old_events')).toMatchObject([{ id: 's', personaId: 'p' }])
  })

  it('finds the generated test data', async () => {
    const filled = await fillLegacy(place.url, { sessions: 2500, seed: 7 })
    expect(filled).toEqual({ sessions: 2500, malformed: 3, invalidIds: 3 })
    const sessions = await read()
    expect(sessions).toHaveLength(2500)
    expect(sessions.filter(({ problems }) => problems.length > 0)).toHaveLength(filled.malformed)
    expect(sessions.filter(({ id }) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id))).toHaveLength(3)
    expect(sessions.some(({ tenant }) => tenant === undefined)).toBe(true)
    expect(sessions.some(({ personaId }) => personaId === '')).toBe(true)
  })

  it('refuses a log of Throughline', async () => {
    await (await open({ url: place.url, migrate: true })).close()
    const table = kind === sqlite ? undefined : 'context.session_events'
    const error = await failure(source(table))
    expect(error).toMatchObject({ code: 'VALIDATION', field: kind === sqlite ? 'from' : 'table' })
    expect(error.message).toContain('is already a Throughline log')
    if (kind !== sqlite) expect((await failure(source())).message).toMatch(/^from: .*context\.session_events/)
  })
})
