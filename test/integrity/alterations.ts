/** How an owner of a database writes what its dialects write differently. */
export interface Dialect {
  /** The name of a table. */
  table(name: string): string
  /** A literal of bytes. */
  bytes(hex: string): string
}

/** A session as the test makes it, ended and committed or not: see {@link LOG}. */
export interface Altered {
  readonly id: string
  readonly dialect: Dialect
  /** Picks one of these. */
  pick<T>(choices: readonly T[]): T
}

/** One alteration of stored rows, by hand. */
export interface Alteration {
  readonly title: string
  readonly isEnded?: boolean
  /** Returns the statements, and what verify must name: the field, for damage of the log with the sequence. */
  make(session: Altered): { sql: string[]; found: string[] }
}

/** Sequences of the session's events. */
export const LOG = {
  started: 1,
  users: [2, 6],
  messages: [3, 4, 5, 9],
  state: 7,
  work: 8,
  last: 9,
  commit: 11,
} as const
/** Contents of its messages, by sequence. */
export const TEXTS = { 2: 'Make some tea', 3: 'With pleasure', 6: 'Thank you', 9: 'You are welcome' } as const
const SAID = [...LOG.users, ...LOG.messages]

const OTHER_TIME = '2026-01-31T09:30:00.000Z'

function update({ id, dialect }: Altered, table: string, change: string, more = ''): string {
  const key = table === 'sessions' ? 'id' : 'session_id'
  return `update ${dialect.table(table)} set ${change} where ${key} = '${id}'${more}`
}

/** Changes columns of one of these events; `views` are the views that were folded from it. */
function changesEvent(
  title: string,
  events: readonly number[],
  changes: readonly string[],
  views: readonly string[] = [],
): Alteration {
  return {
    title,
    make(session) {
      const sequence = session.pick(events)
      const sql = [update(session, 'session_events', session.pick(changes), ` and sequence = ${sequence}`)]
      return { sql, found: [`log.checksum ${sequence}`, ...views] }
    },
  }
}

/** Changes columns of the views. */
function changesView(table: string, change: string, ...views: string[]): Alteration {
  return {
    title: `${table}: ${change}`,
    isEnded: /commit/.test(change),
    make: (session) => ({ sql: [update(session, table, change)], found: views }),
  }
}

function deletes(title: string, events: readonly number[], views: readonly string[]): Alteration {
  return {
    title,
    make({ id, dialect, pick }) {
      const sequence = pick(events)
      const sql = [
        `delete from ${dialect.table('session_events')} where session_id = '${id}' and sequence = ${sequence}`,
      ]
      return { sql, found: [`log ${sequence}`, ...views] }
    },
  }
}

const CALL = `'{"id":"c1","name":"boil","arguments":{"liters":2}}'`

/** Alterations of every kind of stored value that belongs to a session's log and views. */
export const ALTERATIONS: readonly Alteration[] = [
  changesEvent('the content of a message', SAID, [`content = 'other'`, `content = ''`, `content = content || ' '`]),
  changesEvent('the role of a message', SAID, [`role = 'system'`]),
  changesEvent('the type of a message', LOG.messages, [`type = 'memory_recall'`, `type = 'x.other'`]),
  changesEvent('the type of a user message', LOG.users, [`type = 'system_event'`], ['record.turns']),
  changesEvent('parts', [4], [`parts = ${CALL}`, 'parts = null', `parts = '[]'`]),
  changesEvent('parts where there were none', LOG.users, [`parts = '{}'`, `parts = 'null'`]),
  changesEvent('an agent', SAID, [`agent_id = 'somebody'`]),
  changesEvent('an agent to none', [3, 4], ['agent_id = null']),
  changesEvent('the time of the caller', SAID, [`occurred_at = '2026-01-31'`]),
  changesEvent('the time of the caller to none', [6], ['occurred_at = null']),
  changesEvent(
    'a change of the scratchpad',
    [LOG.state],
    [`parts = '{"op":"merge","patch":{"topic":"coffee"}}'`],
    ['state.scratchpad.topic'],
  ),
  {
    title: 'a checksum',
    make(session) {
      const sequence = session.pick(SAID)
      const change = `checksum = ${session.dialect.bytes(session.pick(['', '00', '5a'.repeat(28)]))}`
      const sql = [update(session, 'session_events', change, ` and sequence = ${sequence}`)]
      return { sql, found: [`log.checksum ${sequence}`] }
    },
  },
  {
    title: 'the texts of two messages, swapped',
    make(session) {
      const [a, b] = session.pick([
        [2, 3],
        [6, 9],
        [3, 9],
      ] as const)
      const sql = [
        update(session, 'session_events', `content = '${TEXTS[b]}'`, ` and sequence = ${a}`),
        update(session, 'session_events', `content = '${TEXTS[a]}'`, ` and sequence = ${b}`),
      ]
      return { sql, found: [`log.checksum ${a}`, `log.checksum ${b}`] }
    },
  },
  deletes('a message', [3, 4, 5], []),
  deletes('a message of the user', LOG.users, ['record.turns']),
  deletes('the last event', [LOG.last], ['record.head']),
  {
    title: 'the order in the range of a commit',
    isEnded: true,
    make(session) {
      const [a, b] = session.pick([
        [2, 3],
        [3, 4],
        [5, 6],
        [2, 9],
      ])
      const moves = [
        [a, 1000],
        [b, a],
        [1000, b],
      ] as const
      const sql = moves.map(([from, to]) =>
        update(session, 'session_events', `sequence = ${to}`, ` and sequence = ${from}`),
      )
      return { sql, found: [`log.hash ${LOG.commit}`] }
    },
  },
  {
    title: 'a time in the range of a commit',
    isEnded: true,
    make(session) {
      const at = ` and sequence = ${session.pick(SAID)}`
      const sql = [update(session, 'session_events', `created_at = '${OTHER_TIME}'`, at)]
      return { sql, found: [`log.hash ${LOG.commit}`] }
    },
  },
  {
    title: 'the hash of a commit',
    isEnded: true,
    make(session) {
      const { table } = session.dialect
      const changed = session.pick([`'"hash":"', '"hash":"0'`, `'"position":1', '"position":2'`])
      const old = `(select cast(x.parts as text) from ${table('session_events')} x where x.session_id = '${session.id}' and x.sequence = ${LOG.commit})`
      const json = table('') === '' ? `replace(${old}, ${changed})` : `cast(replace(${old}, ${changed}) as json)`
      const sql = [update(session, 'session_events', `parts = ${json}`, ` and sequence = ${LOG.commit}`)]
      const views = changed.includes('position') ? ['commit.position'] : []
      return { sql, found: [`log.checksum ${LOG.commit}`, ...views] }
    },
  },
  {
    title: 'the summary of a commit',
    isEnded: true,
    make: (session) => ({
      sql: [update(session, 'session_events', `content = 'other'`, ` and sequence = ${LOG.commit}`)],
      found: [`log.checksum ${LOG.commit}`],
    }),
  },
  {
    title: 'the time of the last event',
    make: (session) => ({
      sql: [update(session, 'session_events', `created_at = '${OTHER_TIME}'`, ` and sequence = ${LOG.last}`)],
      found: ['record.lastActivityAt'],
    }),
  },
  changesView('sessions', 'turns = turns + 1', 'record.turns'),
  changesView('sessions', 'head = head + 1', `log ${LOG.last + 1}`, 'record.head'),
  changesView('sessions', 'head = head - 1', 'record.head'),
  changesView('sessions', 'cleared_at = 3', 'clearedAt'),
  changesView('sessions', `task = 'other'`, 'record.task'),
  changesView('sessions', `active_agent = 'other'`, 'record.activeAgent'),
  changesView('sessions', `metadata = '{"topic":"tea","more":1}'`, 'record.metadata.more'),
  changesView('sessions', `started_at = '${OTHER_TIME}'`, 'record.startedAt'),
  changesView('sessions', `last_activity_at = '${OTHER_TIME}'`, 'record.lastActivityAt'),
  changesView('sessions', `expires_at = '2030-01-01T00:00:00.000Z'`, 'record.expiresAt'),
  changesView('sessions', `status = '{"state":"interrupted"}'`, 'record.status.state'),
  changesView('sessions', 'last_work = null', 'lastWork'),
  changesView('sessions', `commit_id = 'other'`, 'commit.id'),
  changesView('sessions', 'commit_position = 7', 'commit.position'),
  changesView('session_state', `scratchpad = '{"topic":"coffee"}'`, 'state.scratchpad.topic'),
  changesView('session_state', `scratchpad = '{}'`, 'state.scratchpad.topic'),
  changesView('session_state', 'version = 9', 'state.version'),
  changesView('session_state', `updated_at = '${OTHER_TIME}'`, 'state.updatedAt'),
  changesView('session_envelopes', `persona_id = 'other'`, 'envelope.document.persona_id'),
  changesView('session_envelopes', `subject = 'eve'`, 'envelope.document.subject'),
  changesView('session_edges', `evidence = '{"other":true}'`, 'edges'),
  {
    title: 'an edge, removed',
    make: ({ id, dialect }) => ({
      sql: [`delete from ${dialect.table('session_edges')} where session_id = '${id}'`],
      found: ['edges'],
    }),
  },
]
