import { open, type Session, type Throughline } from '../../dist/index.js'
import { Database, pg } from '../drivers.ts'

/** The columns that differ between copies of a session, as SQL with `i` for the number of the copy. */
const SQLITE: Record<string, string> = {
  id: "printf('01890000-0000-7000-8000-%012x', i)",
  conversation_id: "printf('01890000-0000-7000-8000-%012x', i)",
  user_id: "iif(i % 10 = 0, 'bench', 'user-' || i % 1000)",
  started_at: "strftime('%FT%T.000Z', 1700000000 + i, 'unixepoch')",
  last_activity_at: "strftime('%FT%T.000Z', 1700000000 + i, 'unixepoch')",
  activity_minute: '(1700000000 + i) / 60',
}

const POSTGRES: Record<string, string> = {
  id: "('01890000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid",
  conversation_id: "'01890000-0000-7000-8000-' || lpad(to_hex(i), 12, '0')",
  user_id: "case when i % 10 = 0 then 'bench' else 'user-' || i % 1000 end",
  started_at: 'to_timestamp(1700000000 + i)',
  last_activity_at: 'to_timestamp(1700000000 + i)',
  activity_minute: '(1700000000 + i) / 60',
}

/**
 * Fills a store with this many sessions: one by the API, and copies of its row, which is all that a list reads. By
 * the API alone a million of them would take almost an hour.
 */
export async function copySqlite(path: string, sessions: number, make = newSession): Promise<void> {
  const id = await template(`sqlite:${path}`, make)
  const db = new Database(path)
  db.pragma('synchronous = off')
  const columns = db.pragma('table_info(sessions)') as { name: string }[]
  const names = columns.map(({ name }) => name)
  db.prepare(`
    with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
    insert into sessions (${names.join(', ')})
    select ${names.map((name) => SQLITE[name] ?? `s.${name}`).join(', ')} from n, sessions s where s.id = ?`).run(
    sessions,
    id,
  )
  db.close()
}

/** @param owner URL of the database as a role that may write to every row */
export async function copyPostgres(url: string, owner: string, sessions: number, make = newSession): Promise<void> {
  const id = await template(url, make)
  const client = new pg.Client(owner)
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_schema = 'context' and table_name = 'sessions' and is_generated = 'NEVER'`,
    )
    const names = rows.map(({ name }) => name)
    await client.query("select set_config('throughline.tenant', '*', false)")
    await client.query(
      `insert into context.sessions (${names.join(', ')})
       select ${names.map((name) => POSTGRES[name] ?? `s.${name}`).join(', ')}
       from generate_series(1, $1) as i, context.sessions s where s.id = $2`,
      [sessions, id],
    )
    await client.query('vacuum analyze context.sessions')
  } finally {
    await client.end()
  }
}

function newSession(tl: Throughline): Promise<Session> {
  return tl.sessions.create({ userId: 'template' })
}

/** A session that needs no work: its run is over. */
export async function idleSession(tl: Throughline): Promise<Session> {
  const session = await newSession(tl)
  await (await session.run()).finish()
  return session
}

async function template(url: string, make: typeof newSession): Promise<string> {
  const tl = await open({ url, index: false })
  const { id } = await make(tl)
  await tl.close()
  return id
}
