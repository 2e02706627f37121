import openDatabase, { type Database } from 'better-sqlite3'
import pg from 'pg'
import { expect, inject, it } from 'vitest'
import { open, type Throughline } from '../../src/index.ts'
import { expectError } from '../../src/stores/conformance/samples.ts'
import { type Migration, migrationsOf } from '../../src/stores/migrations.ts'
import { connect } from '../../src/stores/postgres/connection.ts'
import { migrate as migratePostgres } from '../../src/stores/postgres/migrate.ts'
import { migrate as migrateSqlite } from '../../src/stores/sqlite/migrate.ts'
import { amount, firstInShortRun, printFigure, withDatabaseFile } from '../proof.ts'
import { databasesOf, OWNER, SERVING } from '../servers/database.ts'

const SESSIONS = amount(20_000, 1_000_000)
const USERS = 1000

/** A migration of every kind of step: the column is filled by the changed function and by a backfill, then required. */
const POSTGRES = `
  alter table context.sessions add column if not exists region text;
  do $do$ begin
    execute replace(
      (select pg_get_functiondef(p.oid) from pg_proc p where p.proname = 'append_event'),
      'set head = x.head + 1', 'set region = coalesce(x.region, ''eu''), head = x.head + 1');
  end $do$
-- step: batches
with page as (
  select x.partition, x.id
  from context.sessions x
  where (x.partition, x.id) > (coalesce(split_part($1, ' ', 1), '-1')::smallint,
    coalesce(split_part($1, ' ', 2), '00000000-0000-0000-0000-000000000000')::uuid)
  order by x.partition, x.id
  limit 1000
), filled as (
  update context.sessions s
  set region = 'eu'
  from page p
  where s.partition = p.partition and s.id = p.id and s.region is null
)
select p.partition || ' ' || p.id as next from page p order by p.partition desc, p.id desc limit 1
-- step: concurrently
create index concurrently if not exists sessions_region on context.sessions (partition, region)
-- step: transaction
alter table context.sessions alter column region set default 'eu'`

const SQLITE = `
  alter table sessions add column region text;
  create index sessions_region on sessions (region)
-- step: batches
update sessions set region = 'eu'
where id in (select id from sessions where id > coalesce(?, '') order by id limit 1000)
returning id as next`

const next = (sql: string): Migration => ({ version: 2, name: '0002_synthetic', checksum: 'synthetic', sql })

/** Columns of a copied session that differ, with u for the number of the user and i for that of the session. */
const COPIED: Readonly<Record<string, string>> = {
  partition: "context.partition_of('local', 'user-' || u)",
  id: "('01890000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid",
  conversation_id: "'conversation-' || i",
  user_id: "'user-' || u",
}

/** Copies the row of one session, which is what a migration of that table meets. */
async function fillPostgres(client: pg.Client, id: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_schema = 'context' and table_name = 'sessions' and is_generated = 'NEVER'`,
  )
  const names = rows.map(({ name }) => name)
  const each = SESSIONS / USERS
  await client.query(
    `insert into context.sessions (${names.join(', ')})
     select ${names.map((name) => (name === 'partition' ? 'u.partition' : (COPIED[name] ?? `s.${name}`))).join(', ')}
     from context.sessions s
     cross join (select u, ${COPIED['partition']} as partition from generate_series(0, ${USERS - 1}) u) u (u, partition)
     cross join lateral generate_series(u.u * ${each} + 1, (u.u + 1) * ${each}) i
     where s.id = $1`,
    [id],
  )
  await client.query('vacuum analyze context.sessions')
}

/** Reads and writes sessions of all users until it is stopped, and gives the longest wait of each in milliseconds. */
function startLoad(tl: Throughline, idOf: (n: number) => string) {
  const longest = { read: 0, write: 0 }
  let calls = 0
  let stopped = false
  const stride = 7919

  async function run(kind: 'read' | 'write', first: number): Promise<void> {
    for (let n = first; !stopped; n = (n + stride) % SESSIONS) {
      const user = tl.as({ tenant: 'local', userId: `user-${Math.floor(n / (SESSIONS / USERS))}` })
      const session = await user.sessions.get(idOf(n + 1))
      const start = performance.now()
      if (kind === 'read') await session.recent({ maxTurns: 5 })
      else await session.append({ type: 'user_message', content: 'meanwhile' })
      longest[kind] = Math.max(longest[kind], performance.now() - start)
      calls++
    }
  }

  const running = Promise.all([run('read', 1), run('read', 2), run('write', 3), run('write', 4)])
  running.catch(() => {})
  return {
    stop: async () => {
      stopped = true
      await running
      return `longest wait of a reader ${longest.read.toFixed(0)} ms, of a writer ${longest.write.toFixed(0)} ms, in ${calls} calls`
    },
  }
}

const idOf = (n: number) => `01890000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

function fillSqlite(db: Database, id: string): void {
  const copied: Readonly<Record<string, string>> = {
    id: "printf('01890000-0000-7000-8000-%012x', i)",
    conversation_id: "'conversation-' || i",
    user_id: `'user-' || ((i - 1) / ${SESSIONS / USERS})`,
  }
  const names = (db.pragma('table_info(sessions)') as { name: string }[]).map(({ name }) => name)
  db.prepare(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
    insert into sessions (${names.join(', ')})
    select ${names.map((name) => copied[name] ?? `s.${name}`).join(', ')} from n, sessions s where s.id = ?`).run(
    SESSIONS,
    id,
  )
}

it('a process goes on while another connection migrates SQLite', { timeout: 900_000 }, async () => {
  await withDatabaseFile(async (path) => {
    const tl = await open({ url: `sqlite:${path}`, durability: 'relaxed' })
    const session = await tl.sessions.create({ userId: 'ada' })
    const db = openDatabase(path, { timeout: 5 })
    fillSqlite(db, session.id)
    const load = startLoad(tl, idOf)
    await migrateSqlite(db, [...migrationsOf('sqlite'), next(SQLITE)])
    await session.append({ type: 'user_message', content: 'afterwards' })
    const waits = await load.stop()
    expect(db.prepare('select region, count(*) as n from sessions group by region').all()).toEqual([
      { region: 'eu', n: SESSIONS + 1 },
    ])
    expect(db.prepare('select version from throughline_migrations').pluck().all()).toEqual([1, 2])
    printFigure(`sqlite: migration of ${SESSIONS.toLocaleString('en')} sessions: ${waits}`)
    db.close()
    await tl.close()
    await expectError('SCHEMA_NEWER', open(`sqlite:${path}`))
  })
})

it.each(firstInShortRun(inject('postgres')))(
  'an old server goes on while a newer version migrates $name',
  {
    timeout: amount(60_000, 900_000),
  },
  async ({ name, url }) => {
    const databases = await databasesOf(url)
    const database = await databases.create()
    const tl = await open(database.url(SERVING))
    const session = await tl.sessions.create({ userId: 'ada' })
    const holder = new pg.Client(database.url())
    await holder.connect()
    await fillPostgres(holder, session.id)
    // a migration ignores the limits of its role
    await holder.query(
      `do $$ begin execute format('alter role ${OWNER} in database %I set statement_timeout = 1', current_database()); end $$`,
    )

    // a long transaction holds a lock that the migration needs: nobody else may wait for it
    await holder.query('begin')
    await holder.query('select from context.sessions limit 1')
    const load = startLoad(tl, idOf)
    const owner = await connect(database.url(OWNER))
    const start = performance.now()
    const migrating = migratePostgres(database.url(OWNER), owner, [...migrationsOf('postgres'), next(POSTGRES)])
    migrating.catch(() => {})
    const waiting = `
    select count(*)::integer as n from pg_stat_activity
    where datname = current_database() and usename = '${OWNER}' and wait_event_type = 'Lock'`
    await expect.poll(async () => (await database.admin(waiting))[0]?.['n'], { timeout: 10_000 }).toBe(1)
    await session.append({ type: 'user_message', content: 'while it waits' })
    await holder.query('rollback')

    await migrating
    const seconds = (performance.now() - start) / 1000
    await session.append({ type: 'user_message', content: 'afterwards' })
    expect(await tl.health()).toMatchObject({ ok: true, schema: 2 })
    const waits = await load.stop()
    expect((await session.events({ types: ['user_message'] })).length).toBe(2)
    await expectError('SCHEMA_NEWER', open(database.url(SERVING)))
    const { rows } = await holder.query<{ region: string; n: number }>(
      'select region, count(*)::integer as n from context.sessions group by region',
    )
    expect(rows).toEqual([{ region: 'eu', n: SESSIONS + 1 }])
    const { rows: valid } = await holder.query(
      "select indisvalid from pg_index where indexrelid = 'context.sessions_region'::regclass",
    )
    expect(valid).toEqual([{ indisvalid: true }])
    printFigure(`${name}: migration of ${SESSIONS.toLocaleString('en')} sessions in ${seconds.toFixed(1)} s: ${waits}`)

    await holder.end()
    await owner.close()
    await tl.close()
    await database.destroy()
    await databases.close()
  },
)
