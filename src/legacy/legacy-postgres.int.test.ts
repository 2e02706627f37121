import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { firstInShortRun } from '../../test/proof.ts'
import { type Databases, databasesOf, OWNER, SERVING, type TestDatabase } from '../../test/servers/database.ts'
import { freePort } from '../../test/servers/postgres.ts'
import type { LegacySession } from '../domain/legacy.ts'
import { legacySource } from './index.ts'

async function readAll(url: string, table?: string): Promise<LegacySession[]> {
  const source = await legacySource({ url, ...(table !== undefined && { table }) })
  try {
    const all: LegacySession[] = []
    for await (const session of source.sessions()) all.push(session)
    expect(await source.count()).toBe(all.length)
    return all
  } finally {
    await source.close()
  }
}

describe.each(firstInShortRun(inject('postgres')))('on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  beforeAll(async () => {
    databases = await databasesOf(url)
    database = await databases.create('bare')
  })
  afterEach(async () => {
    await database.admin('drop schema if exists old cascade; drop schema public cascade; create schema public')
  })
  afterAll(async () => {
    await database.destroy()
    await databases.close()
  })

  it.each([
    ['timestamptz', "'2025-03-01T14:00:00.5+02:00'", '2025-03-01T12:00:00.500Z'],
    ['timestamp', "'2025-03-01T12:00:00.0009'", '2025-03-01T12:00:00.000Z'],
    ['date', "'2025-03-01'", '2025-03-01T00:00:00.000Z'],
    ['bigint', '1740830400123', '2025-03-01T12:00:00.123Z'],
    ['integer', '1740830400', '2025-03-01T12:00:00.000Z'],
    ['double precision', '1740830400.25', '2025-03-01T12:00:00.250Z'],
    ['timestamptz', "'infinity'", undefined],
    ['timestamptz', "'0044-03-15 BC'", undefined],
    ['double precision', "'nan'", undefined],
  ])('takes a time of type %s: %s', async (type, value, expected) => {
    await database.admin(`
      alter database ${new URL(database.url()).pathname.slice(1)} set timezone = 'Asia/Kolkata';
      create table session_events (id serial, session_id uuid, occurred_at ${type}, payload jsonb);
      insert into session_events (session_id, occurred_at, payload)
      values ('0b7a9a6e-7a53-4f3c-9f44-3b1d6a2c0f10', ${value}, '{"role": "user"}')`)
    const [session] = await readAll(database.url())
    expect(session).toMatchObject({ id: '0b7a9a6e-7a53-4f3c-9f44-3b1d6a2c0f10', events: 1, problems: [] })
    expect([session?.createdAt, session?.updatedAt]).toEqual([expected, expected])
  })

  it('refuses a time that is text', async () => {
    await database.admin('create table session_events (id serial, session_id text, occurred_at text, payload jsonb)')
    await expect(readAll(database.url())).rejects.toMatchObject({
      code: 'VALIDATION',
      field: 'from',
      message: expect.stringContaining("'occurred_at' of 'session_events' is text"),
    })
  })

  it('takes json that no jsonb could hold', async () => {
    await database.admin(`
      create table session_events (id serial, session_id text, occurred_at timestamptz, payload json);
      insert into session_events (session_id, payload)
      values ('s', '{"role": "user", "persona_id": "p", "message": "\\u0000", "metadata": {"k": "\\u0000"}}')`)
    expect(await readAll(database.url())).toMatchObject([{ personaId: 'p', metadata: { k: '\ufffd' } }])
  })

  it('reads a table of another schema by its full name, and suggests it otherwise', async () => {
    await database.admin(`
      create schema old;
      create table old.session_events (id serial, session_id text, occurred_at timestamptz, payload jsonb);
      insert into old.session_events (session_id, payload) values ('s', '{}')`)
    expect(await readAll(database.url(), 'old.session_events')).toMatchObject([{ id: 's' }])
    await expect(readAll(database.url())).rejects.toMatchObject({
      code: 'VALIDATION',
      message: expect.stringContaining('old.session_events'),
    })
    await database.admin(`create table public."old.session_events" (x text)`)
    expect(await readAll(database.url(), 'old.session_events')).toMatchObject([{ id: 's' }])
  })

  it('reads all partitions', async () => {
    await database.admin(`
      create table session_events (id serial, session_id text, occurred_at timestamptz, payload jsonb)
        partition by range (occurred_at);
      create table first partition of session_events for values from ('2025-01-01') to ('2025-02-01');
      create table later partition of session_events default;
      insert into session_events (session_id, occurred_at, payload)
      values ('s', '2025-03-01', '{"role": "user", "persona_id": "b"}'), ('s', '2025-01-01', '{"tenant": "a"}')`)
    expect(await readAll(database.url())).toMatchObject([{ tenant: 'a', personaId: 'b', events: 2 }])
  })

  it('fails if a policy hides rows or the role may not read them', async () => {
    await database.admin(`
      create table session_events (id serial, session_id text, occurred_at timestamptz, payload jsonb);
      insert into session_events (session_id, payload) values ('s', '{}');
      grant usage on schema public to ${SERVING}`)
    const refused = { code: 'STORAGE', message: expect.stringContaining('needs permission to read the whole table') }
    await expect(readAll(database.url(SERVING))).rejects.toMatchObject(refused)
    await database.admin(`
      grant select on session_events to ${SERVING};
      alter table session_events enable row level security;
      create policy none on session_events using (false)`)
    await expect(readAll(database.url(SERVING))).rejects.toMatchObject(refused)
    expect(await readAll(database.url())).toHaveLength(1)
  })

  it('is not ended by the time bounds of its role', async () => {
    await database.admin(`
      create table session_events (id serial, session_id text, occurred_at timestamptz, payload jsonb);
      insert into session_events (session_id, payload) select 's' || n, '{}' from generate_series(1, 3000) n;
      alter table session_events owner to ${OWNER};
      grant usage on schema public to ${OWNER};
      alter role ${OWNER} in database ${new URL(database.url()).pathname.slice(1)}
        set idle_in_transaction_session_timeout = '1ms'`)
    const source = await legacySource({ url: database.url(OWNER) })
    let sessions = 0
    for await (const _ of source.sessions()) {
      // to connect once more takes longer than the bound
      if (sessions++ === 0) await database.admin('select 1')
    }
    await source.close()
    expect(sessions).toBe(3000)
  })

  it('says that the server ended the connection, and closes all the same', async () => {
    await database.admin(`
      create table session_events (id serial, session_id text, occurred_at timestamptz, payload jsonb);
      insert into session_events (session_id, payload) select 's' || n, '{}' from generate_series(1, 3000) n`)
    const source = await legacySource({ url: database.url() })
    const reading = async () => {
      for await (const { id } of source.sessions()) {
        if (id !== 's1') continue
        await database.admin(`
          select pg_terminate_backend(pid, 5000) from pg_stat_activity
          where datname = current_database() and pid <> pg_backend_pid()`)
      }
    }
    await expect(reading()).rejects.toMatchObject({ code: 'STORAGE' })
    await expect(source.count()).rejects.toMatchObject({ code: 'STORAGE' })
    await source.close()
  })
})

describe('a server', () => {
  it('that is down or lacks the database is a storage error with a hint', async () => {
    const port = await freePort()
    await expect(legacySource({ url: `postgres://u:secret@127.0.0.1:${port}/x` })).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(/^postgres: (?!.*secret).*check that the server is running/),
    })
    const missing = new URL(inject('postgres')[0]?.url ?? '')
    missing.pathname = '/not_there'
    await expect(legacySource({ url: missing.href })).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringContaining('check the database name'),
    })
  })

  it.each(['memory:', 'mysql://u:secret@h/x', 'nonsense', '', 'sqlite:'])('is not at %j', async (url) => {
    await expect(legacySource({ url })).rejects.toMatchObject({
      code: 'VALIDATION',
      field: 'from',
      message: "from: must be 'sqlite:PATH' or 'postgres://…'",
    })
  })

  it('is not at a URL that cannot be read, which is not repeated', async () => {
    const error = await legacySource({ url: 'postgres://u:se cret@[h/x' }).catch((thrown) => thrown)
    expect(error).toMatchObject({ code: 'STORAGE' })
    expect(String(error)).not.toContain('cret')
  })
})
