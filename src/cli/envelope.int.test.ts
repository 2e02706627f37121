import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import openDatabase from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../../test/servers/database.ts'
import { type RedisServer, startRedis } from '../../test/servers/redis.ts'
import { runInProcess } from '../../test/servers/run-cli.ts'
import { temporaryFolder, trackProcess } from '../../test/servers/test-run.ts'
import type { BackfillReport, Throughline } from '../api.ts'
import { open } from '../open/open.ts'
import { upTo } from '../stores/conformance/samples.ts'

const RUN = fileURLToPath(new URL('./run.ts', import.meta.url))

let databases: Databases
let redis: RedisServer
beforeAll(async () => {
  databases = await databasesOf(inject('postgres')[0]?.url ?? '')
  // of our own: a rollback empties it
  redis = await startRedis()
})
afterAll(async () => {
  await databases.close()
  await redis.stop()
})

let cwd: string
let remove: () => void
beforeEach(async () => {
  ;({ path: cwd, remove } = temporaryFolder('tl-envelope-'))
  // the same ids come again
  await redis.command('flushall')
})
afterEach(() => remove())

function environment(extra: Record<string, string>): NodeJS.ProcessEnv {
  const { FORCE_COLOR: _f, NO_COLOR: _n, NODE_DEBUG: _d, THROUGHLINE_CACHE_URL: _c, ...rest } = process.env
  return { ...rest, COLUMNS: '', ...extra }
}

const runWith = (env: Record<string, string>, args: readonly string[]) =>
  runInProcess(args, cwd, { COLUMNS: '', ...env })

const idOf = (n: number) => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

interface LegacyRow {
  session: string
  payload: unknown
}

/** A table of events as the older system had it, in `old.db`. Gives what `--from` takes. */
function legacy(rows: readonly LegacyRow[]): string {
  const db = openDatabase(join(cwd, 'old.db'))
  db.exec(`create table if not exists session_events
    (id integer primary key, session_id text, occurred_at text, payload text)`)
  const put = db.prepare('insert into session_events (session_id, occurred_at, payload) values (?, ?, ?)')
  db.transaction(() => {
    for (const [i, { session, payload }] of rows.entries()) {
      put.run(session, new Date(Date.UTC(2025, 0, 1, 0, 0, i)).toISOString(), JSON.stringify(payload))
    }
  })()
  db.close()
  return `sqlite:${join(cwd, 'old.db')}`
}

const said = (persona_id: string, metadata: object) => ({ role: 'user', persona_id, message: 'Hello', metadata })

/** Three sessions: one with a history, one that names nobody, one that is refused. */
const THREE: LegacyRow[] = [
  { session: idOf(1), payload: said('guide', { tenant: 'acme', subject: 'ada', channel: 'web' }) },
  { session: idOf(2), payload: said('coach', {}) },
  { session: 'chat-3', payload: said('guide', {}) },
  {
    session: idOf(1),
    payload: said('critic', { tenant: 'other', subject: 'eve', analysis: { intent: 'plan', tags: ['code'] } }),
  },
  { session: idOf(2), payload: 'not an object' },
]

describe.each(['sqlite', 'postgres'] as const)('on %s', (store) => {
  let database: TestDatabase | undefined
  let env: Record<string, string>
  beforeEach(async () => {
    database = store === 'sqlite' ? undefined : await databases.recycled()
    const url = database?.url(SERVING) ?? `sqlite:${join(cwd, 'a.db')}`
    // for SQLite the environment's cache is not meant
    env = { THROUGHLINE_URL: url, THROUGHLINE_CACHE_URL: redis.url }
  })
  afterEach(() => database?.destroy())

  const run = (...args: string[]) => runWith(env, args)
  const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)

  async function withStore<T>(work: (tl: Throughline) => Promise<T>): Promise<T> {
    const tl = await open({
      url: env['THROUGHLINE_URL'] ?? '',
      index: false,
      ...(store === 'postgres' && { cache: redis.url }),
    })
    try {
      return await work(tl)
    } finally {
      await tl.close()
    }
  }
  /** A case that one of the stores is enough for: each command takes half a second to start. */
  const only = (where: typeof store, title: string, check: () => Promise<void>) => {
    if (where === store) it(title, check)
  }
  const envelopeOf = (id: string) => withStore(async ({ sessions }) => (await sessions.get(id)).envelope())

  it('backfill creates each session once, and exits with 2 if one failed', async () => {
    const from = legacy(THREE)
    const dry = await run('backfill', '--from', from, '--dry-run')
    expect(dry.code).toBe(2)
    expect(dry.stdout).toMatch(/^batch {6}backfill-20\S+Z\nread {7}3 sessions\nto create {2}2\nto update {2}0\n/)
    expect(dry.stdout).toMatch(/\n\nDry run: nothing was written\.\n$/)
    if (store === 'sqlite') expect(existsSync(join(cwd, 'a.db'))).toBe(false)
    else expect(await json('verify')).toMatchObject({ sessions: 0 })

    const first = await run('backfill', '--from', from, '--batch', "it's first")
    expect({ code: first.code, stderr: first.stderr }).toEqual({ code: 2, stderr: '' })
    expect(
      first.stdout
        .replace(/seconds.*/, 'seconds')
        .trimEnd()
        .split('\n'),
    ).toEqual([
      "Writing batch it's first",
      "batch      it's first",
      'read       3 sessions',
      'created    2',
      'updated    0',
      'unchanged  0',
      'kept       0',
      'failed     1',
      'seconds',
      '',
      'session                               outcome   problem',
      'chat-3                                failed    session_id: must be a UUID',
      `${idOf(2)}  repaired  payload is not an object`,
      '',
      "To undo: throughline rollback --batch 'it'\\''s first'",
      ...(store === 'postgres' ? ['To warm the cache: throughline warm'] : []),
    ])
    expect(await envelopeOf(idOf(1))).toMatchObject({
      persona_id: 'critic',
      tenant: 'acme',
      subject: 'ada',
      metadata: { channel: 'web' },
      analysis: { intent: 'plan', tags: ['code'] },
      timestamps: { created_at: '2025-01-01T00:00:00.000Z' },
    })
    expect(await envelopeOf(idOf(2))).toMatchObject({ tenant: 'local', subject: 'unknown' })
    const again = { batch: 'second', dryRun: false, sessions: 3, created: 0, updated: 0, unchanged: 2, kept: 0 }
    const problems = [
      { sessionId: idOf(2), problem: 'payload is not an object', failed: false },
      { sessionId: 'chat-3', problem: 'session_id: must be a UUID', failed: true },
    ]
    const report: BackfillReport = await json('backfill', '--from', from, '--batch', 'second')
    expect({ ...report, problems: report.problems.toSorted((a, b) => Number(a.failed) - Number(b.failed)) }).toEqual({
      ...again,
      failed: 1,
      problems,
      last: 'chat-3',
    })
    expect(await json('verify')).toMatchObject({ sessions: 2, differences: [] })
  })

  only('postgres', 'backfill goes in parts, takes what changed since, and keeps what others wrote', async () => {
    const from = legacy([1, 2, 3].map((n) => ({ session: idOf(n), payload: said('guide', {}) })))
    const part = ['backfill', '--from', from, '--limit', '2', '--tenant', 'acme', '--user', 'ada', '--batch', 'parts']
    const first = await run(...part)
    expect(first.code).toBe(0)
    expect(first.stdout).toContain(`\n\nTo continue: repeat with --after ${idOf(2)}\nTo undo: `)
    const rest = await json(...part, '--after', idOf(2))
    expect(rest).toMatchObject({ sessions: 1, created: 1, last: idOf(3) })
    expect(await envelopeOf(idOf(3))).toMatchObject({ tenant: 'acme', subject: 'ada', persona_id: 'guide' })

    await withStore(async ({ sessions }) => (await sessions.get(idOf(2))).updateEnvelope({ personaId: 'own' }))
    legacy([1, 2].map((n) => ({ session: idOf(n), payload: said('critic', {}) })))
    const counts = { created: 0, updated: 1, unchanged: 1, kept: 1, failed: 0 }
    expect(await json('backfill', '--from', from, '--dry-run')).toMatchObject(counts)
    // typed for Postgres, where the cache had the value from before
    const told = store === 'postgres' ? ['--cache-url', redis.url, '--url', env['THROUGHLINE_URL'] ?? ''] : []
    if (store === 'postgres') env['THROUGHLINE_CACHE_URL'] = ''
    await envelopeOf(idOf(1))
    const { code, stdout } = await run('backfill', '--from', from, ...told)
    expect(code).toBe(0)
    expect(stdout).toContain('\nupdated    1\nunchanged  1\nkept       1\n')
    if (store === 'postgres') expect(stdout).toContain('(each with the same --url and --cache-url)\n')
    expect(await envelopeOf(idOf(1))).toMatchObject({ persona_id: 'critic' })
    expect(await envelopeOf(idOf(2))).toMatchObject({ persona_id: 'own' })
  })

  only('sqlite', 'rebuild shows ten sessions, and says how many more', async () => {
    await run(
      'backfill',
      '--batch',
      'b',
      '--from',
      legacy(upTo(12).map((n) => ({ session: idOf(n), payload: said('', {}) }))),
    )
    await withStore(({ envelopes }) => envelopes.rollback({ batch: 'b' }))
    const { stdout } = await run('rebuild')
    expect(stdout.split('\n')).toHaveLength(13)
    expect(stdout).toContain(`repaired 12 of 12 sessions, 12 events:\n  ${idOf(1)}\n`)
    expect(stdout).toContain('\n  and 2 more; --json lists all\n')
  })

  only('sqlite', 'a dry run of backfill refuses what the run refuses', async () => {
    const long = 'x'.repeat(2000)
    const payloads = [said('', { subject: long }), said('', { tenant: long }), said(long, {}), said('guide', {})]
    const from = legacy(payloads.map((payload, n) => ({ session: idOf(n), payload })))
    const counts = { sessions: 4, created: 1, failed: 3 }
    expect(await json('backfill', '--from', from, '--dry-run')).toMatchObject(counts)
    const report: BackfillReport = await json('backfill', '--from', from)
    expect(report).toMatchObject(counts)
    expect(report.problems.map(({ problem }) => problem.split(':')[0]).toSorted()).toEqual([
      'personaId',
      'subject',
      'tenant',
    ])
  })

  only('sqlite', 'backfill prints ten problems and the number of the others', async () => {
    const from = legacy(Array.from({ length: 120 }, (_, n) => ({ session: `chat-${n}`, payload: said('', {}) })))
    const { code, stdout } = await run('backfill', '--from', from)
    expect(code).toBe(2)
    expect(stdout.match(/^chat-\d+ +failed +session_id: must be a UUID$/gm)).toHaveLength(10)
    expect(stdout).toMatch(/\nand at least 90 more; --json lists the first 100\n$/)
    const few = await run('backfill', '--from', from, '--limit', '12')
    expect(few.stdout).toContain('\nand 2 more; --json lists the first 100\n')
  })

  it('rollback previews first, then removes the envelopes of a batch with the intake paused', async () => {
    await run('backfill', '--from', legacy(THREE), '--batch', 'b')
    for (const id of [idOf(1), idOf(2)]) await envelopeOf(id)
    const own = await withStore(async ({ sessions }) => (await sessions.create({ userId: 'ada' })).id)

    const dry = await run('rollback', '--batch', 'b')
    expect({ code: dry.code, stderr: dry.stderr }).toEqual({ code: 0, stderr: '' })
    const cached = store === 'postgres'
    expect(dry.stdout.trimEnd().split('\n')).toEqual([
      'With --yes this would:',
      '  1  pause the intake of new sessions',
      cached ? '  2  empty the cache' : '  2  skip the cache: the store has none',
      '  3  remove 2 envelopes of batch b from the store',
      '',
      'Then you would:',
      '  4  set SESSION_ENVELOPE_ENABLED=false for every Throughline process and restart them',
      ...(cached ? ['  5  if envelopes stay enabled: throughline warm, or throughline warm --from FILE'] : []),
      '  6  accept new sessions again: throughline intake resume',
      '     watch the metric session_envelope_refresh_total{result="error"}',
      ...(cached ? ['     and the hit ratio in session_envelope_cache_events_total'] : []),
      '',
      'Logs are not touched and nothing is lost: envelopes are computed from the logs,',
      'and throughline rebuild stores them again.',
      '',
      'Dry run: nothing was changed.',
    ])
    expect(await json('rollback', '--batch', 'b')).toEqual({ dryRun: true, envelopes: 2, intake: { paused: false } })
    expect(await json('verify')).toMatchObject({ sessions: 3, differences: [] })

    const rolled = await run('rollback', '--batch', 'b', '--yes')
    expect(rolled.code).toBe(0)
    expect(rolled.stdout.replace(/since 20\S+/, 'since TIME')).toContain(
      [
        'Done:',
        '  1  paused the intake of new sessions, since TIME',
        cached ? '  2  removed 2 envelopes from the cache' : '  2  skipped the cache: the store has none',
        '  3  removed 2 envelopes of batch b from the store',
        '',
        'Next steps:',
        '  4  set SESSION_ENVELOPE_ENABLED=false',
      ].join('\n'),
    )
    expect(await redis.command('keys', 'session:*:meta')).toEqual([])
    await expect(withStore(({ sessions }) => sessions.create({ userId: 'ada' }))).rejects.toMatchObject({
      code: 'INTAKE_PAUSED',
    })
    const missing = [idOf(1), idOf(2)].map((sessionId) => expect.objectContaining({ sessionId }))
    expect(await json('verify')).toMatchObject({ sessions: 3, differences: missing })
    expect(await envelopeOf(idOf(1))).toMatchObject({ persona_id: 'critic', subject: 'ada' })
    expect((await json('rebuild')).repaired.toSorted()).toEqual([idOf(1), idOf(2)])
    expect(await json('verify')).toMatchObject({ differences: [] })
    expect(await envelopeOf(own)).toMatchObject({ subject: 'ada' })
  })

  only('postgres', 'rollback goes by time too, and resumes the intake if asked to', async () => {
    await withStore(async ({ sessions }) => (await sessions.create({ userId: 'ada' })).envelope())
    const none = { dryRun: true, envelopes: 0, intake: { paused: false } }
    expect(await json('rollback', '--since', '2999-01-01')).toEqual(none)
    const typo = await run('rollback', '--batch', 'nobody')
    expect(typo.stdout).toMatch(/^There are no envelopes of batch nobody\.\n\nWith --yes/)
    const rolled = { dryRun: false, envelopes: 1, intake: { paused: true, since: expect.any(String) } }
    const cached = store === 'postgres' ? { cached: 1 } : {}
    expect(await json('rollback', '--since', '2020-01-01', '--yes')).toEqual({ ...rolled, ...cached })
    const { code, stdout } = await run('rollback', '--since', '2020-01-01', '--yes', '--resume')
    expect(code).toBe(0)
    expect(stdout).toContain(
      '\n  6  resumed the intake\n\nNext steps:\n  4  store the envelopes again: throughline rebuild',
    )
    expect(await json('intake', 'status')).toEqual({ paused: false })
    expect(await json('rebuild')).toMatchObject({ repaired: [expect.any(String)] })
  })

  only('sqlite', 'intake pauses and resumes, for every process', async () => {
    const { id } = await withStore(({ sessions }) => sessions.create({ userId: 'ada' }))
    expect(await run('intake', 'status')).toEqual({ code: 0, stdout: 'open  new sessions are accepted\n', stderr: '' })
    const { since } = await json('intake', 'pause')
    const paused = {
      code: 0,
      stderr: '',
      stdout: expect.stringContaining(`paused  no new sessions since ${since}.`),
    }
    for (const command of ['pause', 'status']) expect(await run('intake', command)).toEqual(paused)
    await withStore(async ({ sessions }) => {
      await expect(sessions.create({ userId: 'ada' })).rejects.toMatchObject({ code: 'INTAKE_PAUSED' })
      await (await sessions.get(id)).append({ type: 'user_message', content: 'Still here' })
    })
    for (let i = 0; i < 2; i++) expect(await json('intake', 'resume')).toEqual({ paused: false })
    await withStore(({ sessions }) => sessions.create({ userId: 'ada' }))
    expect(await run('intake', 'halt')).toMatchObject({ code: 2, stderr: expect.stringContaining('unknown command') })
  })
})

describe('the cache', () => {
  let database: TestDatabase
  beforeEach(async () => {
    database = await databases.recycled()
  })
  afterEach(() => database.destroy())

  const run = (args: string[], cache = redis.url) =>
    runWith({ THROUGHLINE_URL: database.url(SERVING), ...(cache !== '' && { THROUGHLINE_CACHE_URL: cache }) }, args)
  const json = async (...args: string[]) => JSON.parse((await run([...args, '--json'])).stdout)

  async function withStore<T>(work: (tl: Throughline) => Promise<T>): Promise<T> {
    const tl = await open({ url: database.url(SERVING), cache: redis.url, index: false })
    try {
      return await work(tl)
    } finally {
      await tl.close()
    }
  }

  /** Sessions of Ada, none of them cached. */
  const sessionsMade = (count: number) =>
    withStore(({ sessions }) =>
      Promise.all(Array.from({ length: count }, async () => (await sessions.create({ userId: 'ada' })).id)),
    )
  const cached = async (id: string) => JSON.parse(String(await redis.command('get', `session:${id}:meta`)))

  it('is filled from the store, once', async () => {
    const [id = ''] = await sessionsMade(3)
    const { code, stdout } = await run(['warm'])
    expect(code).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'sessions          3',
      'filled            3',
      'already cached    0',
      'not in the store  0',
      'failed            0',
      '',
    ])
    expect(await json('warm')).toEqual({ sessions: 3, filled: 0, present: 3, unknown: 0, failed: 0 })
    expect(await cached(id)).toMatchObject({ session_id: id, subject: 'ada' })
  })

  it('is restored from a snapshot with current values of the store', async () => {
    const [first = '', second = ''] = await sessionsMade(3)
    await withStore(async ({ sessions }) => {
      for (const id of [first, second]) await (await sessions.get(id)).envelope()
    })
    const piped = await run(['export', '--cache'])
    expect(await json('export', '--cache', '--out', 'snapshot.jsonl')).toEqual({ file: 'snapshot.jsonl', written: 2 })
    const snapshot = readFileSync(join(cwd, 'snapshot.jsonl'), 'utf8')
    expect(snapshot.split('\n').toSorted()).toEqual(piped.stdout.split('\n').toSorted())
    await withStore(async ({ sessions }) => (await sessions.get(first)).updateEnvelope({ personaId: 'coach' }))
    await redis.command('flushall')

    writeFileSync(join(cwd, 'more.jsonl'), `${snapshot}\n${snapshot}{"session_id": "${idOf(9)}"}\n`)
    const warmed = await json('warm', '--from', 'more.jsonl')
    expect(warmed).toEqual({ sessions: 3, filled: 2, present: 0, unknown: 1, failed: 0 })
    expect(await cached(first)).toMatchObject({ persona_id: 'coach' })
    expect(await redis.command('keys', 'session:*:meta')).toHaveLength(2)
    const wrote = await run(['export', '--cache', '--out', 'again.jsonl'])
    expect(wrote).toEqual({ code: 0, stdout: 'wrote 2 envelopes to again.jsonl\n', stderr: '' })
  })

  it('refuses a snapshot with an invalid line and names it', async () => {
    const good = `{"session_id": "${idOf(1)}"}`
    const is = 'is not an envelope: session_id must be a session id'
    for (const [line, problem] of [
      ['words', 'is not JSON'],
      ['null', is],
      ['{"session_id": 7}', is],
      ['{"session_id": "ada"}', is],
      [Buffer.from([0xff]), 'is not UTF-8'],
    ] as const) {
      writeFileSync(join(cwd, 'a.jsonl'), Buffer.concat([Buffer.from(`${good}\n\n`), Buffer.from(line)]))
      const { code, stderr } = await run(['warm', '--from', 'a.jsonl'])
      expect({ code, stderr }).toEqual({ code: 2, stderr: `error VALIDATION: from: line 3 ${problem}\n` })
    }
  })

  it('is required for warm and export, which keeps an existing file; rollback mentions that none is configured', async () => {
    writeFileSync(join(cwd, 'kept.jsonl'), 'kept')
    for (const args of [['warm'], ['export', '--cache'], ['export', '--cache', '--out', 'kept.jsonl']]) {
      const { code, stderr } = await run(args, '')
      expect(stderr).toContain('error VALIDATION: cache: ')
      expect(code).toBe(2)
    }
    expect(readFileSync(join(cwd, 'kept.jsonl'), 'utf8')).toBe('kept')
    const dry = await run(['rollback', '--batch', 'b'], '')
    expect(dry.stdout).toContain('  2  skip the cache: no cache URL is set; if you use a cache, pass --cache-url\n')
    const unwritable = await run(['export', '--cache', '--out', 'none/a.jsonl'])
    expect(unwritable).toMatchObject({ code: 2, stderr: expect.stringContaining('out: cannot be written: ENOENT') })
  })

  it('that does not answer fails warm and export with 5, and leaves a rollback with the intake paused', async () => {
    await sessionsMade(2)
    const gone = await startRedis()
    await gone.stop()
    const warmed = await run(['warm', '--cache-url', gone.url])
    expect(warmed.code).toBe(5)
    expect(warmed.stdout).toMatch(/\nfailed {12}2\n\nSome envelopes were not cached: .* Run it again\.\n$/)
    const exported = await run(['export', '--cache', '--cache-url', gone.url])
    expect(exported).toMatchObject({ code: 5, stderr: expect.stringContaining('error STORAGE: redis: ') })

    const again = ['rollback', '--since', '2020-01-01', '--yes', '--resume', '--json', '--cache-url', gone.url]
    const rolled = await run(again)
    expect({ code: rolled.code, stdout: rolled.stdout }).toEqual({ code: 5, stdout: '' })
    const { error } = JSON.parse(rolled.stderr)
    expect(error).toMatchObject({ code: 'STORAGE', details: { store: 'redis' } })
    expect(error.message).toMatch(
      /^redis: .*; the intake is still paused: run this command again \(with --cache-url '' /,
    )
    expect(await json('intake', 'status')).toMatchObject({ paused: true })
    expect(await json('verify')).toMatchObject({ sessions: 2, differences: [] })
    const without = await run(['rollback', '--since', '2020-01-01', '--yes', '--resume', '--json', '--cache-url', ''])
    expect(JSON.parse(without.stdout)).toEqual({ dryRun: false, envelopes: 2, intake: { paused: false } })
    const typo = await run(['rollback', '--batch', 'nobody', '--yes'])
    expect(typo).toMatchObject({ code: 2, stderr: expect.stringContaining('batch: has no stored envelopes') })
    expect(await json('intake', 'status')).toEqual({ paused: false })
  })

  it('is refused for SQLite if passed as an option, and its password is never printed', async () => {
    const url = 'redis://:secret@127.0.0.1:1'
    const sqlite = ['--url', `sqlite:${join(cwd, 'a.db')}`, '--cache-url', url]
    for (const args of [['intake', 'status'], ['migrate'], ['demo']]) {
      const tl = await open(`sqlite:${join(cwd, 'a.db')}`)
      await tl.close()
      const { code, stdout, stderr } = await run([...args, ...sqlite])
      expect(stderr).toContain('error VALIDATION: cache: ')
      expect(stdout + stderr).not.toContain('secret')
      expect(code).toBe(2)
    }
    await sessionsMade(1)
    for (const args of [['warm', '--cache-url', url], ['warm', '--cache-url', 'http://:secret@host'], ['--help']]) {
      const { stdout, stderr } = await run(args, url)
      expect(stdout + stderr).not.toContain('secret')
    }
  })

  it('a backfill reads Postgres, too', async () => {
    const older = await databases.create('bare')
    await older.admin(`
      create table session_events (id bigserial primary key, session_id text, occurred_at timestamptz, payload jsonb);
      insert into session_events (session_id, occurred_at, payload)
      values ('${idOf(1)}', '2025-01-01', '{"role": "user", "persona_id": "guide"}')`)
    expect(await json('backfill', '--from', older.url())).toMatchObject({ created: 1, failed: 0 })
    const rest = await json('backfill', '--from', older.url(), '--table', 'public.session_events', '--after', idOf(1))
    expect(rest).toMatchObject({ sessions: 0 })
    await older.destroy()
  })
})

describe('a backfill that is killed', () => {
  it('continues when it is run again: every session once, and nothing to repair', async () => {
    const count = 1500
    const from = legacy(Array.from({ length: count }, (_, n) => ({ session: idOf(n), payload: said('guide', { n }) })))
    const env = { THROUGHLINE_URL: `sqlite:${join(cwd, 'a.db')}` }
    const terminal = 'data:text/javascript,process.stderr.isTTY=true'
    const args = ['--import', terminal, RUN, 'backfill', '--from', from, '--batch', 'b']
    const child = trackProcess(spawn(process.execPath, args, { cwd, env: environment(env) }))
    const exited = once(child, 'exit')
    let line = ''
    for await (const text of child.stderr.setEncoding('utf8')) {
      line += text
      if (/%\sbackfilling: [1-9][\d,]* of 1,500 sessions/.test(line)) break
    }
    child.kill('SIGKILL')
    expect(await exited).toEqual([null, 'SIGKILL'])

    const json = async (...args: string[]) => JSON.parse((await runWith(env, [...args, '--json'])).stdout)
    const { sessions: before, differences } = await json('verify')
    expect(differences).toEqual([])
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(count)
    const report = await json('backfill', '--from', from, '--batch', 'b')
    expect(report).toMatchObject({ sessions: count, created: count - before, kept: 0, failed: 0 })
    expect(report.updated + report.unchanged).toBe(before)
    // each has its beginning and one envelope
    expect(await json('verify')).toEqual({ sessions: count, events: 2 * count, differences: [] })
    expect(await json('rollback', '--batch', 'b')).toMatchObject({ envelopes: count })
  })
})

it('invalid input is refused with 2 before anything changes', async () => {
  const env = { THROUGHLINE_URL: `sqlite:${join(cwd, 'a.db')}` }
  const json = async (...args: string[]) => JSON.parse((await runWith(env, [...args, '--json'])).stdout)
  await (await open(env.THROUGHLINE_URL)).close()
  const from = legacy(THREE)
  const wrong: [string[], string][] = [
    [['backfill'], 'from: is required'],
    [['backfill', '--from', 'mysql://ada:secret@host/db'], "from: must be 'sqlite:PATH' or 'postgres://…'"],
    [['backfill', '--from', from, '--table', 'none'], "table: table 'none' not found"],
    [['backfill', '--from', from, '--limit', '0'], 'limit: must be a whole number from 1 to'],
    [['backfill', '--from', from, '--batch', ''], 'batch: '],
    [['backfill', '--from', from, '--user', ''], 'user: '],
    [['rollback', '--yes'], 'batch: pass either --batch or --since'],
    [['rollback', '--batch', 'b', '--since', '2020-01-01', '--yes'], 'batch: pass either'],
    [['rollback', '--since', 'yesterday', '--yes'], 'since: '],
    [['export', 'a', '--cache'], 'cache: cannot be combined with a session'],
    [['warm', '--from', 'none.jsonl'], 'from: cannot be read: ENOENT'],
    [['warm', 'all'], 'too many arguments'],
    [['intake', 'pause', 'now'], 'too many arguments'],
  ]
  for (const [args, message] of wrong) {
    const { code, stdout, stderr } = await runWith(env, args)
    expect(stderr).toContain(`error VALIDATION: ${message}`)
    expect(stdout + stderr).not.toContain('secret')
    expect(code).toBe(2)
  }
  expect(await json('intake', 'status')).toEqual({ paused: false })
  expect(await json('verify')).toMatchObject({ sessions: 0 })
})

it.each(['backfill', 'rollback', 'warm', 'export', 'intake status', 'intake pause', 'intake resume'])(
  '%s --help has an example, in 80 columns',
  async (command) => {
    const { code, stdout } = await runWith({}, [...command.split(' '), '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain(`Usage: throughline ${command}`)
    expect(stdout).toContain(`Example: throughline ${command}`)
    const [text = ''] = stdout.split('\nOptions:')
    // no line that commander had to break
    expect(text.split('\n').filter((line) => line.length > 80 || /^\S{1,12}$/.test(line))).toEqual([])
  },
)
