import type { Contender, Entrant } from '../contender.ts'
import { Database } from '../drivers.ts'
import type { Message } from '../load.ts'

const SCHEMA = `
  create table if not exists sessions (
    id text not null primary key, tenant text not null, user_id text not null, conversation_id text not null,
    chatmode text not null, workflow text, skill text, git_branch text, task text, status text not null,
    active_agent text not null, head integer not null, turns integer not null, started_at text not null,
    last_activity_at text not null, ended_at text, expires_at text, metadata text not null
  ) strict, without rowid;
  create index if not exists sessions_user on sessions (user_id, started_at);
  create table if not exists session_state (
    session_id text not null primary key, scratchpad text not null, version integer not null, updated_at text not null
  ) strict, without rowid;
  create table if not exists session_events (
    session_id text not null, sequence integer not null, id text not null, type text not null, role text not null,
    content text not null, parts text, created_at text not null,
    primary key (session_id, sequence)
  ) strict, without rowid`

/** The index is on the start of a session, which no append changes. */
const LIST = 'select * from sessions where user_id = ? order by started_at desc limit 50'

const INSERT_SESSION = `
  insert into sessions (
    id, tenant, user_id, conversation_id, chatmode, status, active_agent, head, turns, started_at, last_activity_at,
    metadata
  )`

/** Each tenth is of the user `bench`. Ids that rise with time, as Throughline's do, lie side by side for a list. */
const POPULATE = `
  with recursive n (i) as (select 1 union all select i + 1 from n where i < ?)
  ${INSERT_SESSION}
  select printf('01890000-0000-7000-8000-%012x', i), 'local', iif(i % 10 = 0, 'bench', 'user-' || i % 1000),
    'conversation-' || i, 'default', '{"state":"running"}', 'coach', 1, 0,
    strftime('%FT%T.000Z', 1700000000 + i, 'unixepoch'), strftime('%FT%T.000Z', 1700000000 + i, 'unixepoch'), '{}'
  from n`

/** By hand, with the bare driver: for each append the head row and the insert in one transaction, and nothing else. */
export function rawSqlite(name: string, synchronous: 'full' | 'normal'): Entrant {
  return { name, open: async (path) => contender(name, path, synchronous) }
}

function contender(name: string, path: string, synchronous: string): Contender {
  const db = new Database(path, { timeout: 30_000 })
  db.pragma('journal_mode = wal')
  db.pragma(`synchronous = ${synchronous}`)
  db.exec(SCHEMA)
  const now = () => new Date().toISOString()

  const insertSession = db.prepare(
    `${INSERT_SESSION} values (?, 'local', 'bench', ?, 'default', '{"state":"running"}', 'coach', 1, 0, ?, ?, '{}')`,
  )
  const insertState = db.prepare("insert into session_state values (?, '{}', 0, ?)")
  const move = db
    .prepare('update sessions set head = head + 1, turns = turns + ?, last_activity_at = ? where id = ? returning head')
    .pluck()
  const insert = db.prepare('insert into session_events values (?, ?, ?, ?, ?, ?, ?, ?)')
  const last = db.prepare('select * from session_events where session_id = ? order by sequence desc limit 60')
  const spoken = db
    .prepare("select content from session_events where session_id = ? and role <> 'system' order by sequence")
    .pluck()
  const selectRecord = db.prepare<[string], { status: string; metadata: string }>('select * from sessions where id = ?')
  const selectState = db.prepare<[string], { scratchpad: string; version: number }>(
    'select * from session_state where session_id = ?',
  )
  const updateState = db.prepare(
    'update session_state set scratchpad = ?, version = version + 1, updated_at = ? where session_id = ?',
  )
  const list = db.prepare(LIST)
  const everyone = db.prepare('select * from sessions order by started_at desc limit 50')

  function add(sessionId: string, type: string, role: string, content: string, parts: string | null): void {
    const at = now()
    insert.run(
      sessionId,
      move.get(Number(role === 'user'), at, sessionId),
      crypto.randomUUID(),
      type,
      role,
      content,
      parts,
      at,
    )
  }
  const create = db.transaction((sessionId: string) => {
    const at = now()
    insertSession.run(sessionId, crypto.randomUUID(), at, at)
    insertState.run(sessionId, at)
    insert.run(sessionId, 1, crypto.randomUUID(), 'session_started', 'system', '', '{"userId":"bench"}', at)
  })
  const append = db.transaction((sessionId: string, { type, role, content }: Message) => {
    add(sessionId, type, role, content, null)
  })
  const fill = db.transaction((sessionId: string, messages: readonly Message[]) => {
    for (const { type, role, content } of messages) add(sessionId, type, role, content, null)
  })
  const update = db.transaction((sessionId: string, value: number) => {
    const { scratchpad } = selectState.get(sessionId) ?? { scratchpad: '{}' }
    const patch = { counter: value }
    updateState.run(JSON.stringify({ ...JSON.parse(scratchpad), ...patch }), now(), sessionId)
    add(sessionId, 'state_changed', 'system', '', JSON.stringify(patch))
  })

  return {
    name,
    async create() {
      const sessionId = crypto.randomUUID()
      create.immediate(sessionId)
      return sessionId
    },
    append: async (sessionId, message) => append.immediate(sessionId, message),
    recent: async (sessionId) => last.all(sessionId).reverse(),
    contents: async (sessionId) => spoken.all(sessionId) as string[],
    fill: async (sessionId, messages) => fill.immediate(sessionId, messages),
    async record(sessionId) {
      const row = selectRecord.get(sessionId)
      return row && { ...row, status: JSON.parse(row.status), metadata: JSON.parse(row.metadata) }
    },
    async state(sessionId) {
      const row = selectState.get(sessionId)
      return row && { ...row, scratchpad: JSON.parse(row.scratchpad) }
    },
    update: async (sessionId, value) => update.immediate(sessionId, value),
    list: async () => list.all('bench'),
    everyone: async () => everyone.all(),
    async populate(sessions) {
      // only for lists, and only while they are measured
      db.exec('create index if not exists sessions_started on sessions (started_at)')
      db.prepare(POPULATE).run(sessions)
    },
    async close() {
      db.close()
    },
  }
}
