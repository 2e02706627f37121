import { partitionOf } from '../../src/domain/partition.ts'
import { APPEND_ALL } from '../contenders/batched-postgres.ts'
import { appendStatement, CREATE_TEXT, rawPostgres } from '../contenders/raw-postgres.ts'
import { throughline } from '../contenders/throughline.ts'
import type { Databases } from '../databases.ts'
import { pg } from '../drivers.ts'
import type { Part } from '../part.ts'
import { median, type Row } from '../table.ts'

/** Sessions of a call that many appends share. */
const SHARED = 32

/** A database, and the calls to measure in it. */
interface Inside {
  name: string
  kind: Row['kind']
  /** One statement per call, by line. */
  calls: Partial<Record<Line, string>>
  /** Changes to the database before the measurement. */
  before?: string
}

type Line = keyof typeof LINES

const LINES = {
  I1: 'one append',
  I2: `one append to each of ${SHARED} sessions`,
  I3: 'a new session',
} as const

const EVENT = "'user_message', 'user', v_content"
const CHECKSUM = "decode(repeat('5a', 28), 'hex')"
const ONES = `array_fill(1, array[${SHARED}])`
const many = (value: string) => `array_fill(${value}, array[${SHARED}])`

const APPEND_EVENT = `
  perform context.append_event(v_partition, v_sessions[1], null, null, 1, 500, now(), 29000000, null, gen_random_uuid(), ${EVENT},
    null, null, null, ${CHECKSUM})`

const OURS: Inside['calls'] = {
  I1: APPEND_EVENT,
  I2: `
    perform context.append_events(v_partition, ${many('v_partition')}, v_sessions, null, null, ${ONES}, ${ONES}, ${ONES},
      ${many('now()')}, ${many('29000000')}, null, ${many("'user_message'::text")},
      null, ${many('now()')}, '{}', '{}', '{}', '{}', '{}', v_places, ${ONES}, null, v_sessions, ${many("'user_message'::text")}, ${many("'user'::text")},
      ${many('v_content')}, null, null, null, ${many(CHECKSUM)})`,
  I3: `
    perform context.create_session(v_partition, gen_random_uuid(), 'none', false, now(), 29000000, 'local', 'bench', gen_random_uuid()::text, 'default',
      null, null, null, null, 'running', '{"state":"running"}', 'coach', 0, null, '{}', '{}', null, null, now(), '{}', 0, 'coach', 'bench', null, null, '{}',
      '{}', now(), now(), null, gen_random_uuid(), 'session_started', 'system', '', '{"userId":"bench"}', null, null, ${CHECKSUM})`,
}

const BY_HAND: Inside['calls'] = {
  I1: appendStatement('v_sessions[1]', "'user_message'", "'user'", 'v_content'),
  I2: APPEND_ALL.replace('$1', 'v_sessions')
    .replace('$2', many("'user_message'::text"))
    .replace('$3', many("'user'::text"))
    .replace('$4', many('v_content')),
  I3: CREATE_TEXT.replaceAll('$1', 'v_session'),
}

/** The raw append in a function like ours, without checks. */
const UNCHECKED = `
  create or replace function context.append_event(
    p_partition smallint, p_session uuid, p_tenant text, p_user text, p_turns integer, p_bytes integer,
    p_at timestamptz, p_minute integer, p_run integer, e_id uuid, e_type text, e_role text, e_content text, e_parts json,
    e_agent text, e_occurred text, e_checksum bytea
  )
  returns integer
  language plpgsql security definer set search_path = context, pg_temp set jit = off as $$
  declare
    reached integer;
  begin
    with moved as (
      update sessions set head = head + 1, turns = turns + p_turns, last_activity_at = p_at
      where partition = p_partition and id = p_session
      returning id, head, tenant
    )
    insert into session_events
      (partition, session_id, sequence, id, tenant, type, role, content, parts, agent_id, occurred_at, created_at, checksum)
    select p_partition, id, head, e_id, tenant, e_type, e_role, e_content, e_parts, e_agent, e_occurred, p_at, e_checksum from moved
    returning sequence into reached;
    return reached;
  end $$`

/** All our tables with policies. */
const NO_WALL = `
  do $$
  declare
    t regclass;
  begin
    for t in select oid::regclass from pg_class where relrowsecurity loop
      execute format('alter table %s disable row level security', t);
    end loop;
  end $$`

const NO_INDEXES = `
  do $$
  declare
    i regclass;
  begin
    for i in select indexrelid::regclass from pg_index where indrelid = 'context.sessions'::regclass and not indisprimary loop
      execute format('drop index %s', i);
    end loop;
  end $$`

const DATABASES: readonly Inside[] = [
  { name: 'by hand', kind: 'raw', calls: BY_HAND },
  { name: 'Throughline', kind: 'throughline', calls: OURS },
  { name: 'Throughline without row level security', kind: 'throughline', calls: OURS, before: NO_WALL },
  { name: "Throughline without a session's indexes", kind: 'throughline', calls: OURS, before: NO_INDEXES },
  {
    ...{ name: 'a function that checks nothing, without row level security', kind: 'limit' },
    ...{ calls: { I1: APPEND_EVENT }, before: `${NO_WALL}; ${UNCHECKED}` },
  },
]

/**
 * The time of calls within the server, in a loop there: no process is woken, nothing is sent, and no commit waits for
 * the disk. Shows the cost of the statements and of their parts.
 */
export const SERVER_TIME: Part = {
  name: 'inside',
  stores: ['postgres'],
  async *run({ rounds, quick, places }) {
    const databases = await places.postgres()
    const made = await Promise.all(DATABASES.map((inside) => setUp(databases, inside)))
    try {
      for (const [id, title] of Object.entries(LINES) as [Line, string][]) {
        const calls = quick ? 50 : id === 'I2' ? 400 : 1500
        const found = new Map<string, number[]>()
        // the first round only warms up
        for (let round = 0; round <= rounds; round++) {
          for (const { name, time } of made) {
            const micros = await time(id, calls)
            if (round > 0 && micros !== undefined) found.set(name, [...(found.get(name) ?? []), micros])
          }
        }
        yield { id, title, by: 'value', unit: 'µs', rows: DATABASES.flatMap((inside) => rowsOf(inside, found)) }
      }
    } finally {
      for (const { close } of made) await close()
      await places.clear()
    }
  },
}

function rowsOf({ name, kind }: Inside, found: ReadonlyMap<string, readonly number[]>): Row[] {
  const value = median(found.get(name) ?? [])
  return value === undefined ? [] : [{ name, kind, base: 'by hand', value, note: '' }]
}

/** A database with its sessions and one procedure for each line. */
async function setUp(databases: Databases, { name, kind, calls, before }: Inside) {
  const url = kind === 'raw' ? await databases.empty() : await databases.served()
  const contender = await (kind === 'raw' ? rawPostgres(name) : throughline(name, (target) => target)).open(url, {
    connections: 1,
  })
  const sessions: string[] = []
  for (let i = 0; i < SHARED; i++) sessions.push(await contender.create())
  await contender.close()
  // as the owner, who bypasses row level security; the functions run under it anyway
  const client = new pg.Client(databases.owner(url))
  await client.connect()
  if (before !== undefined) await client.query(before)
  for (const [id, call] of Object.entries(calls)) await client.query(loop(id, call, sessions.toSorted()))
  await client.query('set synchronous_commit = off')
  let micros = 0
  client.on('notice', ({ message = '' }) => {
    micros = Number(message)
  })
  return {
    name,
    async time(id: Line, count: number): Promise<number | undefined> {
      if (calls[id] === undefined) return undefined
      await client.query(`call bench_${id}(${count})`)
      return micros
    },
    close: () => client.end(),
  }
}

/** Raises a notice with the microseconds of a call, including its commit. */
function loop(id: string, call: string, sessions: readonly string[]): string {
  return `
    create procedure bench_${id}(v_count integer) language plpgsql as $procedure$
    #variable_conflict use_column
    declare
      v_sessions uuid[] := '{${sessions.join(',')}}';
      v_places integer[] := array(select generate_series(1, ${SHARED}));
      v_content text := repeat('x', 500);
      v_partition smallint := ${partitionOf('local', 'bench')};
      v_begun timestamptz := clock_timestamp();
      v_session uuid;
    begin
      for v_number in 1 .. v_count loop
        v_session := gen_random_uuid();
        ${call};
        commit;
      end loop;
      raise notice '%', extract(epoch from clock_timestamp() - v_begun) * 1e6 / v_count;
    end $procedure$`
}
