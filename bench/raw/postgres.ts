import pg from 'pg'
import type { RawLog } from './log.ts'

const SCHEMA = `
  create table sessions (
    id uuid not null primary key, head integer not null, last_activity_at timestamptz not null
  );
  create table session_events (
    session_id uuid not null, sequence integer not null, id uuid not null, type text not null, role text not null,
    content text not null, parts json, created_at timestamptz not null,
    primary key (session_id, sequence)
  )`

/** The head row and the insert in one statement, with the names that the caller has for the values. */
export function appendStatement(session: string, type: string, role: string, content: string): string {
  return `
    with moved as (
      update sessions set head = head + 1, last_activity_at = now() where id = ${session}::uuid returning id, head
    )
    insert into session_events (session_id, sequence, id, type, role, content, parts, created_at)
    select id, head, gen_random_uuid(), ${type}::text, ${role}::text, ${content}::text, null, now() from moved`
}

const APPEND = { name: 'append', text: appendStatement('$1', '$2', '$3', '$4') }

const LAST = {
  name: 'last',
  text: 'select * from session_events where session_id = $1 order by sequence desc limit $2',
}

const FILL = {
  name: 'fill',
  text: `
    with moved as (
      update sessions set head = head + cardinality($2::text[]), last_activity_at = now() where id = $1 returning id, head
    )
    insert into session_events (session_id, sequence, id, type, role, content, parts, created_at)
    select moved.id, moved.head - cardinality($2) + e.i, gen_random_uuid(), e.type, e.role, e.content, null, now()
    from moved, unnest($2::text[], $3::text[], $4::text[]) with ordinality as e (type, role, content, i)`,
}

/** One statement for each append, prepared once per connection, on as many connections as there are writers. */
export async function rawPostgres(url: string, connections: number): Promise<RawLog> {
  const pool = new pg.Pool({ connectionString: url, max: connections, idleTimeoutMillis: 0 })
  // what fails is told by the query that meets it
  pool.on('error', () => {})
  await pool.query(SCHEMA)
  return {
    async create() {
      const sessionId = crypto.randomUUID()
      await pool.query('insert into sessions values ($1, 0, now())', [sessionId])
      return sessionId
    },
    async append(sessionId, { type, role, content }) {
      await pool.query({ ...APPEND, values: [sessionId, type, role, content] })
    },
    last: async (sessionId, count) => (await pool.query({ ...LAST, values: [sessionId, count] })).rows.reverse(),
    async fill(sessionId, messages) {
      const columns = (['type', 'role', 'content'] as const).map((name) => messages.map((message) => message[name]))
      await pool.query({ ...FILL, values: [sessionId, ...columns] })
    },
    close: () => pool.end(),
  }
}
