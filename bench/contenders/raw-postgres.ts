import type { Contender, Entrant } from '../contender.ts'
import { pg } from '../drivers.ts'

const SCHEMA = `
  create table if not exists sessions (
    id uuid not null primary key, tenant text not null, user_id text not null, conversation_id text not null,
    chatmode text not null, workflow text, skill text, git_branch text, task text, status json not null,
    active_agent text not null, head integer not null, turns integer not null, started_at timestamptz not null,
    last_activity_at timestamptz not null, ended_at timestamptz, expires_at timestamptz, metadata json not null
  );
  create index if not exists sessions_user on sessions (user_id, started_at);
  create table if not exists session_state (
    session_id uuid not null primary key, scratchpad json not null, version integer not null,
    updated_at timestamptz not null
  );
  create table if not exists session_events (
    session_id uuid not null, sequence integer not null, id uuid not null, type text not null, role text not null,
    content text not null, parts json, created_at timestamptz not null,
    primary key (session_id, sequence)
  )`

export const EVENT_COLUMNS = '(session_id, sequence, id, type, role, content, parts, created_at)'

/** The head row and the insert in one statement, with the caller's placeholders for the values. */
export function appendStatement(session: string, type: string, role: string, content: string): string {
  return `
    with moved as (
      update sessions set head = head + 1, turns = turns + (${role}::text = 'user')::integer, last_activity_at = now()
      where id = ${session}::uuid
      returning id, head
    )
    insert into session_events ${EVENT_COLUMNS}
    select id, head, gen_random_uuid(), ${type}::text, ${role}::text, ${content}::text, null, now() from moved`
}

const APPEND = { name: 'append', text: appendStatement('$1', '$2', '$3', '$4') }

const INSERT_SESSION = `
  insert into sessions (
    id, tenant, user_id, conversation_id, chatmode, status, active_agent, head, turns, started_at, last_activity_at,
    metadata
  )`

/** $1 session. */
export const CREATE_TEXT = `
  with session as (
    ${INSERT_SESSION}
    values ($1, 'local', 'bench', gen_random_uuid(), 'default', '{"state":"running"}', 'coach', 1, 0, now(), now(), '{}')
  ),
  state as (insert into session_state values ($1, '{}', 0, now()))
  insert into session_events ${EVENT_COLUMNS}
  values ($1, 1, gen_random_uuid(), 'session_started', 'system', '', '{"userId":"bench"}', now())`

const CREATE = { name: 'create', text: CREATE_TEXT }

/** Changes nothing, and returns no row, if another writer was faster. */
const UPDATE = {
  name: 'update',
  text: `
    with changed as (
      update session_state set scratchpad = $2, version = version + 1, updated_at = now()
      where session_id = $1 and version = $3
      returning session_id
    ), moved as (
      update sessions set head = head + 1, last_activity_at = now() from changed where id = changed.session_id
      returning id, head
    )
    insert into session_events ${EVENT_COLUMNS}
    select id, head, gen_random_uuid(), 'state_changed', 'system', '', $4::json, now() from moved
    returning sequence`,
}

const RECENT = {
  name: 'recent',
  text: 'select * from session_events where session_id = $1 order by sequence desc limit 60',
}
const RECORD = { name: 'record', text: 'select * from sessions where id = $1' }
const STATE = { name: 'state', text: 'select * from session_state where session_id = $1' }
const LIST = {
  name: 'list',
  text: 'select * from sessions where user_id = $1 order by started_at desc limit 50',
}
const EVERYONE = { name: 'everyone', text: 'select * from sessions order by started_at desc limit 50' }

const FILL = {
  name: 'fill',
  text: `
    with moved as (
      update sessions set head = head + cardinality($2::text[]), last_activity_at = now() where id = $1 returning id, head
    )
    insert into session_events ${EVENT_COLUMNS}
    select moved.id, moved.head - cardinality($2) + e.i, gen_random_uuid(), e.type, e.role, e.content, null, now()
    from moved, unnest($2::text[], $3::text[], $4::text[]) with ordinality as e (type, role, content, i)`,
}

/** Each tenth is of the user `bench`. Ids that rise with time, as Throughline's do, lie side by side for a list. */
const POPULATE = `
  ${INSERT_SESSION}
  select ('01890000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid, 'local',
    case when i % 10 = 0 then 'bench' else 'user-' || i % 1000 end, 'conversation-' || i, 'default',
    '{"state":"running"}', 'coach', 1, 0, to_timestamp(1700000000 + i), to_timestamp(1700000000 + i), '{}'
  from generate_series(1, $1) as i`

/**
 * By hand, with the bare driver: one prepared statement for each append, on as many connections as there are writers.
 */
export function rawPostgres(name: string): Entrant {
  return { name, open: (url, { connections }) => contender(name, url, connections) }
}

async function contender(name: string, url: string, connections: number): Promise<Contender> {
  const pool = new pg.Pool({ connectionString: url, max: connections, idleTimeoutMillis: 0 })
  // the query that meets an error reports it
  pool.on('error', () => {})
  await pool.query(SCHEMA)

  async function update(sessionId: string, value: number): Promise<void> {
    const patch = { counter: value }
    for (;;) {
      const { scratchpad, version } = (await pool.query({ ...STATE, values: [sessionId] })).rows[0]
      const values = [sessionId, JSON.stringify({ ...scratchpad, ...patch }), version, JSON.stringify(patch)]
      if ((await pool.query({ ...UPDATE, values })).rowCount === 1) return
    }
  }

  return {
    name,
    async create() {
      const sessionId = crypto.randomUUID()
      await pool.query({ ...CREATE, values: [sessionId] })
      return sessionId
    },
    async append(sessionId, { type, role, content }) {
      await pool.query({ ...APPEND, values: [sessionId, type, role, content] })
    },
    recent: async (sessionId) => (await pool.query({ ...RECENT, values: [sessionId] })).rows.reverse(),
    async contents(sessionId) {
      const sql = "select content from session_events where session_id = $1 and role <> 'system' order by sequence"
      return (await pool.query<{ content: string }>(sql, [sessionId])).rows.map(({ content }) => content)
    },
    async fill(sessionId, messages) {
      const columns = (['type', 'role', 'content'] as const).map((column) => messages.map((message) => message[column]))
      await pool.query({ ...FILL, values: [sessionId, ...columns] })
    },
    record: async (sessionId) => (await pool.query({ ...RECORD, values: [sessionId] })).rows[0],
    state: async (sessionId) => (await pool.query({ ...STATE, values: [sessionId] })).rows[0],
    update,
    list: async () => (await pool.query({ ...LIST, values: ['bench'] })).rows,
    everyone: async () => (await pool.query(EVERYONE)).rows,
    async populate(sessions) {
      // only for lists, and only while they are measured
      await pool.query('create index if not exists sessions_started on sessions (started_at)')
      await pool.query(POPULATE, [sessions])
      await pool.query('vacuum analyze sessions')
    },
    close: () => pool.end(),
  }
}
