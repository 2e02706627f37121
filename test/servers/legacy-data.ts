import Database from 'better-sqlite3'
import pg from 'pg'
import type { JsonObject } from '../../src/domain/json.ts'

export interface LegacyFill {
  sessions: number
  /** Events of each session. Absent: one to seven, four on average. */
  eventsEach?: number
  /** Another seed gives other sessions. */
  seed?: number
}

export interface LegacyFilled {
  sessions: number
  /** Sessions of which one payload is malformed. */
  malformed: number
  /** Sessions whose id is no UUID. */
  invalidIds: number
}

interface Row {
  sessionId: string
  occurredAt: string
  payload: string
}

/** One in so many sessions has a malformed payload, and another one an id that is no UUID. */
const ODD = 1000
/** Sessions that go on at the same time: their rows lie mixed. */
const TOGETHER = 1000
const BEGINNING = Date.UTC(2025, 0, 1)

/**
 * Makes the table `session_events` of an older system in a database (`postgres://…` or `sqlite:PATH`) and fills it,
 * with the same rows for the same seed.
 */
export async function fillLegacy(url: string, { sessions, eventsEach, seed = 1 }: LegacyFill): Promise<LegacyFilled> {
  const filled: LegacyFilled = { sessions, malformed: 0, invalidIds: 0 }
  const batches = batchesOf(sessions, eventsEach, seed, filled)
  if (url.startsWith('sqlite:')) fillSqlite(url.slice('sqlite:'.length), batches)
  else await fillPostgres(url, batches)
  return filled
}

async function fillPostgres(url: string, batches: Iterable<Row[]>): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(
      'create table session_events (id bigserial primary key, session_id text, occurred_at timestamptz, payload jsonb)',
    )
    await client.query('begin')
    for (const rows of batches) {
      await client.query(
        `insert into session_events (session_id, occurred_at, payload)
         select s, t, p::jsonb from unnest($1::text[], $2::timestamptz[], $3::text[]) with ordinality as r (s, t, p, n)
         order by n`,
        [rows.map((row) => row.sessionId), rows.map((row) => row.occurredAt), rows.map((row) => row.payload)],
      )
    }
    await client.query('commit; analyze session_events')
  } finally {
    await client.end()
  }
}

function fillSqlite(path: string, batches: Iterable<Row[]>): void {
  const db = new Database(path)
  try {
    db.exec('create table session_events (id integer primary key, session_id text, occurred_at text, payload text)')
    const insert = db.prepare('insert into session_events (session_id, occurred_at, payload) values (?, ?, ?)')
    db.transaction(() => {
      for (const rows of batches) for (const row of rows) insert.run(row.sessionId, row.occurredAt, row.payload)
    })()
  } finally {
    db.close()
  }
}

/** Rows of sessions that go on at the same time, in order of time as they would have been written. */
function* batchesOf(sessions: number, eventsEach: number | undefined, seed: number, filled: LegacyFilled) {
  for (let first = 0; first < sessions; first += TOGETHER) {
    const count = Math.min(TOGETHER, sessions - first)
    const logs = Array.from({ length: count }, (_, i) =>
      logOf(first + i, eventsEach, randomOf(seed, first + i), filled),
    )
    const longest = Math.max(...logs.map((log) => log.length))
    // one event of each session, then the next of each
    for (let n = 0; n < longest; n++) yield logs.flatMap((log) => log[n] ?? [])
  }
}

type Random = (below: number) => number

/** A generator of its own for each session (mulberry32), so that how many sessions there are changes none of them. */
function randomOf(seed: number, session: number): Random {
  let state = (Math.imul(seed, 0x9e3779b1) ^ Math.imul(session + 1, 0x85ebca6b)) >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = Math.imul(state ^ (state >>> 15), state | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) % below
  }
}

const PERSONAS = ['guide', 'coach', 'analyst', 'critic']
const INTENTS = ['plan', 'ask', 'report', 'cancel']
const SENTIMENTS = ['neutral', 'glad', 'cross']
const TAGS = ['billing', 'travel', 'code', 'health', 'urgent']
const ROLES = ['user', 'assistant', 'user', 'assistant', 'tool', 'user', 'system']

function logOf(n: number, eventsEach: number | undefined, random: Random, filled: LegacyFilled): Row[] {
  const events = eventsEach ?? 1 + random(7)
  const odd = n % ODD
  const sessionId = odd === 3 ? `chat-${n}` : uuid(random)
  const broken = odd === 7 ? random(events) : -1
  if (odd === 3) filled.invalidIds++
  if (odd === 7) filled.malformed++
  const identity = identityOf(random)
  const start = BEGINNING + n * 1000 + random(1000)
  const rows: Row[] = []
  for (let event = 0; event < events; event++) {
    const payload = event === broken ? malformed(random) : payloadOf(sessionId, event, identity, random)
    const occurredAt = new Date(start + event * 30_000).toISOString()
    rows.push({ sessionId, occurredAt, payload: JSON.stringify(payload) })
  }
  return rows
}

/** Some tokens had no tenant, some sessions no token at all. */
function identityOf(random: Random): JsonObject {
  if (random(20) === 0) return {}
  const user = { subject: `user-${random(5000)}`, issuer: 'https://id.example.com', scope: 'chat:read chat:write' }
  return random(10) === 0 ? user : { tenant: `tenant-${random(50)}`, ...user }
}

function payloadOf(sessionId: string, event: number, identity: JsonObject, random: Random): JsonObject {
  const role = ROLES[event % ROLES.length] ?? 'user'
  const persona = random(5) === 0 ? null : one(PERSONAS, random)
  const analysis = {
    intent: one(INTENTS, random),
    sentiment: one(SENTIMENTS, random),
    tags: TAGS.filter(() => random(3) === 0),
  }
  return {
    event_id: uuid(random),
    session_id: sessionId,
    persona_id: persona,
    role,
    message: `Message ${event}: ${'lorem ipsum '.repeat(1 + random(12))}`,
    metadata: { ...identity, ...clientOf(random), ...(role === 'assistant' && { analysis }) },
  }
}

function clientOf(random: Random): JsonObject {
  return {
    channel: one(['web', 'phone', 'mail'], random),
    client: { version: `1.${random(9)}.0`, locale: one(['de', 'en', 'fr'], random) },
    ...(random(4) === 0 && { experiment: random(2) === 0 ? null : `e${random(9)}` }),
    ...(random(6) === 0 && { [`flag_${random(4)}`]: random(2) === 0 }),
  }
}

/** A payload that names at least one problem, whatever else the session holds. */
function malformed(random: Random): unknown {
  const message = 'malformed'
  return one<unknown>(
    [
      'not an object',
      ['a', 'list'],
      { role: 'user', message, metadata: 'text' },
      { role: 'user', message, metadata: { analysis: ['a', 'list'] } },
      { role: 'assistant', message, analysis: { intent: 7, tags: 'urgent' } },
    ],
    random,
  )
}

function one<T>(list: readonly T[], random: Random): T {
  return list[random(list.length)] as T
}

function uuid(random: Random): string {
  const part = () => random(0x1_0000).toString(16).padStart(4, '0')
  const version = random(0x1000).toString(16).padStart(3, '0')
  return `${part()}${part()}-${part()}-4${version}-a${version}-${part()}${part()}${part()}`
}
