import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server as TcpServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import openDatabase from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { isProving } from '../../test/proof.ts'
import { type Databases, databasesOf, OWNER, SERVING, type TestDatabase } from '../../test/servers/database.ts'
import { operatorToken, startServer, tokenOf } from '../../test/servers/http.ts'
import { unprivilegedUser } from '../../test/servers/postgres.ts'
import { startRedis } from '../../test/servers/redis.ts'
import { runInProcess } from '../../test/servers/run-cli.ts'
import { temporaryFolder, trackProcess } from '../../test/servers/test-run.ts'
import { open, openDeps } from '../open/open.ts'
import { serve } from '../serve.ts'
import { blockOf, foreignSession, WORK } from '../stores/conformance/import-samples.ts'
import { packageVersion } from '../version.ts'
import type { Check } from './doctor/check.ts'
import { runChecks } from './doctor/run-checks.ts'

let folder: string
let remove: () => void
beforeEach(() => {
  ;({ path: folder, remove } = temporaryFolder('throughline-doctor-'))
})
afterEach(() => remove())

const run = (args: readonly string[], env?: Record<string, string>) => runInProcess(['doctor', ...args], folder, env)

/** The checks by their names. */
const named = (checks: readonly Check[]) => Object.fromEntries(checks.map((check) => [check.name, check]))
async function looked(args: readonly string[], env?: Record<string, string>) {
  const { code, stdout } = await run([...args, '--json'], env)
  const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: Check[] }
  return { code, ok, checks: named(checks), stdout }
}
/**
 * Runs `doctor` as a user who may not read every file: as `nobody` if root runs the tests. Before it changes the user
 * it runs once, which loads every module: other users may not be able to enter this clone.
 */
async function runUnprivileged(args: readonly string[]) {
  const script = `
    const { main } = await import(${JSON.stringify(new URL('./main.ts', import.meta.url))})
    const { args, user } = JSON.parse(process.argv[1])
    if (user) {
      await main(args)
      process.setgroups([])
      process.setgid(user.gid)
      process.setuid(user.uid)
    }
    console.log('unprivileged')
    await main(args)`
  const user = unprivilegedUser()
  if (user) chownSync(folder, user.uid, user.gid)
  const input = JSON.stringify({ args: ['doctor', ...args], user })
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, input], { cwd: folder })
  trackProcess(child)
  const [[code], stdout] = await Promise.all([once(child, 'close'), text(child.stdout)])
  return { code, stdout: stdout.split('unprivileged\n')[1] }
}
const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const containing = (found: string) => expect.stringContaining(found)

describe('doctor on SQLite', () => {
  const url = 'sqlite:a.db'
  /** A store with a session in it. */
  async function made(): Promise<string> {
    const file = join(folder, 'a.db')
    const tl = await open({ url: `sqlite:${file}`, index: false })
    const session = await tl.sessions.create({ userId: 'ada' })
    await session.append({ type: 'user_message', content: 'Hello' })
    await tl.close()
    return file
  }

  it('passes in an empty folder and creates nothing', async () => {
    const { code, stdout } = await run([])
    expect(code).toBe(0)
    expect(stdout).toContain('no database yet; the first open() creates .throughline/sessions.db')
    expect(stdout).not.toMatch(/^(warn|fail)/m)
    expect(readdirSync(folder)).toEqual([])
  })

  it('prints the settings of a store', async () => {
    await made()
    const { code, ok, checks } = await looked(['--url', url])
    expect({ code, ok }).toEqual({ code: 0, ok: true })
    expect(Object.keys(checks)).toEqual(['node', 'store', 'schema', 'index', 'folder', 'disk', 'clock'])
    expect(checks['store']?.found).toMatch(
      /^sqlite: journal wal, synchronous full,.* file a\.db, answers in [\d.]+ ms$/,
    )
    expect(checks['index']?.found).toBe('1 session not indexed yet')
    expect(checks['disk']?.found).toMatch(/free; database [\d.]+ KiB, write-ahead log/)
    expect(checks['clock']?.found).toContain('agrees with the disk')
    expect((await looked(['--url', url, '--cache-url', 'redis://h'])).checks['cache']?.status).toBe('fail')
  })

  it('names an unfinished import and how to delete it', async () => {
    const file = await made()
    const { deps, close } = await openDeps({ url: `sqlite:${file}`, index: false })
    const life = foreignSession({ userId: 'grace' }, WORK)
    await deps.store.imports.write(blockOf(life, 0, 3, false))
    await close()
    const { code, checks } = await looked(['--url', url])
    expect(code).toBe(0)
    expect(checks['imports']).toMatchObject({
      status: 'warn',
      found: `1 session imported in part: ${life.sessionId}`,
      advice: containing(`throughline purge ${life.sessionId} --yes`),
    })
    const purge = ['purge', life.sessionId, '--yes', '--url', url]
    expect(await runInProcess(purge, folder)).toMatchObject({ code: 0, stdout: containing('1 session, 3 events') })
    expect((await looked(['--url', url])).checks['imports']).toBeUndefined()
  })

  it('warns about a file without tables, leaves it unchanged, and fails on a newer schema', async () => {
    writeFileSync(join(folder, 'empty.db'), '')
    const empty = await looked(['--url', 'sqlite:empty.db'])
    expect(empty.code).toBe(0)
    expect(empty.checks['schema']).toMatchObject({ status: 'warn', advice: containing('throughline migrate') })
    expect(statSync(join(folder, 'empty.db')).size).toBe(0)
    const newer = openDatabase(await made())
    newer.exec("insert into throughline_migrations (version, name, checksum) values (999, '0999', '')")
    newer.close()
    const { code, checks } = await looked(['--url', url])
    expect(code).toBe(7)
    expect(checks['schema']).toMatchObject({ status: 'fail', advice: containing('npm install') })
  })

  it('changes no byte of a store in any journal mode, open or closed', async () => {
    const contents = () =>
      Object.fromEntries(
        // an index of the log, which every reader writes to
        readdirSync(folder).flatMap((name) => (name.endsWith('-shm') ? [] : [[name, hashOf(join(folder, name))]])),
      )
    const unchanged = async (journal: string) => {
      const before = contents()
      expect((await looked(['--url', url])).checks['store']).toMatchObject({ status: 'ok', found: containing(journal) })
      expect(contents()).toEqual(before)
    }
    const file = await made()
    await unchanged('journal wal')
    expect(readdirSync(folder)).toEqual(['a.db'])
    const db = openDatabase(file)
    db.exec("insert into throughline_migrations (version, name, checksum) values (-1, '', '')")
    await unchanged('journal wal')
    // as a process that was killed leaves it
    const left = ['a.db', 'a.db-wal', 'a.db-shm'].map((name) => [name, readFileSync(join(folder, name))] as const)
    db.close()
    for (const [name, bytes] of left) writeFileSync(join(folder, name), bytes)
    await unchanged('journal wal')
    const other = openDatabase(file)
    other.pragma('journal_mode = delete')
    other.close()
    await unchanged('journal delete')
    expect(readdirSync(folder)).toEqual(['a.db'])
  })

  it('exits with 7 if the file cannot be a store, and says what to do', async () => {
    execFileSync('mkfifo', [join(folder, 'pipe')])
    writeFileSync(join(folder, 'notes.txt'), 'These are notes and not a database, however long they may get.')
    mkdirSync(join(folder, 'folder.db'))
    const foreign = openDatabase(join(folder, 'foreign.db'))
    foreign.exec('create table bills (id integer)')
    foreign.close()
    const dropped = openDatabase(await made())
    dropped.exec('drop table session_state')
    dropped.close()
    for (const [given, name, advice] of [
      ['sqlite:notes.txt', 'store', 'restore the right one'],
      ['sqlite:notes.txt/sessions.db', 'store', 'notes.txt is not a folder'],
      ['sqlite:notes.txt/deep/er/sessions.db', 'store', 'choose another file with --url'],
      ['sqlite:folder.db', 'store', 'name a file in it: --url sqlite:folder.db/sessions.db'],
      ['sqlite:pipe', 'store', 'choose another file with --url'],
      ['sqlite:foreign.db', 'store', 'a file of its own'],
      [url, 'store', 'restore a backup'],
      ['mysql://ada:secret@host/db', 'store', 'fix --url'],
    ] as const) {
      const { code, checks, stdout } = await looked(['--url', given])
      expect({ given, code }).toEqual({ given, code: 7 })
      expect(checks[name]).toMatchObject({ status: 'fail' })
      expect(Object.values(checks[name] ?? {}).join()).toContain(advice)
      expect(stdout).not.toMatch(/secret|no database yet|writable for this user/)
    }
  })

  it('names files that this user cannot access', async () => {
    const file = await made()
    chmodSync(file, 0o400)
    const ended = await runUnprivileged(['--url', url])
    expect(ended).toMatchObject({ code: 7, stdout: containing('cannot read and write') })
    expect(statSync(file).mode & 0o777).toBe(0o400)
  })
})

describe('doctor on Postgres', () => {
  const STRANGER = `throughline_test_stranger_${process.pid}`
  let databases: Databases
  let database: TestDatabase
  beforeAll(async () => {
    databases = await databasesOf(inject('postgres')[0]?.url ?? '')
    database = await databases.create()
    await database.admin(`create role ${STRANGER} login`)
  })
  afterAll(async () => {
    await database.admin(`drop role ${STRANGER}`)
    await database.destroy()
    await databases.close()
  })

  it('passes for the server role and the cache, and prints the facts', async () => {
    const { code, checks } = await looked(['--url', database.url(SERVING)], {
      THROUGHLINE_CACHE_URL: inject('redis').url,
    })
    expect(code).toBe(0)
    const names = ['node', 'store', 'schema', 'index', 'role', 'cache', 'disk', 'clock']
    expect(Object.keys(checks)).toEqual(names)
    expect(Object.values(checks).map(({ status }) => status)).toEqual(names.map(() => 'ok'))
    expect(checks['store']?.found).toMatch(/^postgres: postgres \d+.*, answers in/)
    expect(checks['role']?.found).toBe(`role ${SERVING}: member of throughline_app; ${OWNER} owns the tables`)
    expect(checks['cache']?.found).toMatch(/^redis \d+\.\d+.*: answers, memory .*, no limit, policy \w+/)
    expect(checks['disk']?.found).toMatch(/^database \w+: [\d.]+ MiB$/)
    expect(checks['clock']?.found).toContain('agrees with the database')
  })

  it('warns about a superuser, accepts the owner, and names missing rights', async () => {
    const mighty = await looked(['--url', database.url()])
    expect(mighty.code).toBe(0)
    expect(mighty.checks['role']).toMatchObject({
      status: 'warn',
      found: containing('(superuser): bypasses row level security'),
    })
    expect(mighty.checks['cache']?.found).toBe('none configured: envelopes are read from the store')
    const owner = (await looked(['--url', database.url(OWNER)])).checks['role']
    expect(owner).toMatchObject({ status: 'ok', found: containing('owns the tables') })

    const stranger = await looked(['--url', database.url(STRANGER)])
    expect(stranger.code).toBe(7)
    expect(stranger.checks['role']).toMatchObject({
      status: 'fail',
      advice: `as a superuser: grant throughline_app to ${STRANGER}`,
    })
    await database.admin(`grant throughline_app to ${STRANGER}`)
    expect((await looked(['--url', database.url(STRANGER)])).code).toBe(0)
    await database.admin(`alter role ${STRANGER} bypassrls`)
    expect((await looked(['--url', database.url(STRANGER)])).checks['role']).toMatchObject({ status: 'warn' })
    await database.admin(`alter role ${STRANGER} nobypassrls; revoke throughline_app from ${STRANGER}`)
  })

  it('fails if Citus has distributed our tables, and only then', async () => {
    const split = await databases.create()
    try {
      // the columns of Citus's own catalog that doctor reads
      await split.admin(`
        create table public.pg_dist_partition (logicalrelid regclass);
        grant select on public.pg_dist_partition to public;
        create table public.theirs (id int);
        insert into public.pg_dist_partition values ('public.theirs')`)
      expect((await looked(['--url', split.url(SERVING)])).code).toBe(0)
      await split.admin("insert into public.pg_dist_partition values ('context.sessions'), ('memori.memories')")
      const { code, checks } = await looked(['--url', split.url(SERVING)])
      expect(code).toBe(7)
      expect(checks['store']).toMatchObject({
        status: 'fail',
        found: containing('2 Throughline tables distributed by Citus'),
        advice: containing('docs/scale.md'),
      })
    } finally {
      await split.destroy()
    }
  })

  it('gives advice for a missing or old schema, a missing database or table, and a read-only server', async () => {
    const bare = await databases.create('bare')
    try {
      const none = await looked(['--url', bare.url(OWNER)])
      expect(none.checks['schema']).toMatchObject({ status: 'fail', advice: containing('throughline migrate') })
      const nowhere = bare.url(OWNER).replace(/\/\w+$/, '/nowhere')
      expect((await looked(['--url', nowhere])).checks['store']).toMatchObject({
        advice: containing('create database'),
      })
    } finally {
      await bare.destroy()
    }
    const other = await databases.create()
    try {
      await other.admin('drop table context.sessions cascade')
      expect((await looked(['--url', other.url(SERVING)])).checks['store']).toMatchObject({
        status: 'fail',
        advice: containing('restore a backup'),
      })
      await other.admin("update context.throughline_migrations set checksum = 'another'")
      const earlier = await looked(['--url', other.url(SERVING)])
      expect(earlier.code).toBe(7)
      expect(earlier.checks['schema']).toMatchObject({ status: 'fail', advice: containing('throughline import') })
      await other.admin('update context.throughline_migrations set version = -1')
      const older = await looked(['--url', other.url(SERVING)])
      expect(older.code).toBe(7)
      expect(older.checks['schema']).toMatchObject({
        status: 'fail',
        advice: `run throughline migrate as the role ${OWNER}`,
      })
      const name = new URL(other.url()).pathname.slice(1)
      await other.admin(`alter database ${name} set default_transaction_read_only = on`)
      expect((await looked(['--url', other.url(SERVING)])).checks['store']).toMatchObject({
        status: 'fail',
        found: containing('read-only'),
      })
    } finally {
      await other.destroy()
    }
  })

  it('names the problem of a cache and prints no password', async () => {
    const redis = await startRedis(['--maxmemory', '64mb'])
    const look = async (cache: string) => {
      const { code, checks, stdout } = await looked(['--url', database.url(SERVING), '--cache-url', cache])
      expect(stdout).not.toContain('guessed')
      return { code, ...checks['cache'] }
    }
    try {
      expect(await look(redis.url)).toMatchObject({ code: 0, status: 'warn', advice: containing('maxmemory-policy') })
      await redis.command('CONFIG', 'SET', 'requirepass', 'right')
      const wrong = await look(`redis://:guessed@127.0.0.1:${redis.port}`)
      expect(wrong).toMatchObject({ code: 7, status: 'fail', found: containing('WRONGPASS') })
      expect((await look(redis.url)).found).toContain('NOAUTH')
      expect((await look(`redis://:right@127.0.0.1:${redis.port}`)).found).toContain('answers, memory')
      redis.pause()
      expect(await look(`redis://:guessed@127.0.0.1:${redis.port}`)).toMatchObject({ code: 0, status: 'warn' })
    } finally {
      await redis.stop()
    }
    expect(await look(redis.url)).toMatchObject({ code: 0, status: 'warn', found: containing('ECONNREFUSED') })
    expect(await look('rediz://u:guessed@h')).toMatchObject({ code: 7, status: 'fail' })
  })

  it('compares with the clock of the database', async () => {
    const target = { url: database.url(SERVING), explicit: true }
    const clock = async (ahead: number) => named(await runChecks(target, () => Date.now() + ahead))['clock']
    expect(await clock(10_000)).toMatchObject({ status: 'warn', found: containing('s ahead of the database') })
    expect(await clock(-90_000)).toMatchObject({ status: 'fail', advice: containing('NTP') })
  })
})

describe('doctor on a server', () => {
  it('prints the identity of the token and the facts of the server', async () => {
    const server = await startServer({ url: `sqlite:${join(folder, 'a.db')}` })
    const look = (token?: string) => looked(['--url', server.url], { ...(token && { THROUGHLINE_TOKEN: token }) })
    try {
      const operator = await look(await operatorToken())
      expect(operator.code).toBe(0)
      expect(Object.keys(operator.checks)).toEqual(['node', 'server', 'token', 'store', 'schema', 'clock'])
      expect(operator.checks['server']?.found).toContain(`version ${packageVersion()}`)
      expect(operator.checks['token']?.found).toBe('accepted for the operator: every tenant, and maintenance')
      expect(operator.checks['store']?.found).toContain('journal wal')
      expect(operator.checks['clock']?.found).toContain('agrees with the server')

      const ada = await look(await tokenOf({ tenant: 'acme', sub: 'ada' }))
      expect(ada.checks['token']?.found).toBe('accepted for user ada of tenant acme')
      expect(ada.checks['store']?.found).toMatch(/^sqlite: answers in/)

      const none = await look()
      expect(none.code).toBe(7)
      expect(none.checks['token']).toMatchObject({ status: 'fail', advice: containing('set THROUGHLINE_TOKEN') })
      expect(none.checks['store']).toMatchObject({ status: 'ok', found: containing('reports it ready') })
      const forged = await tokenOf({ tenant: 'acme', sub: 'ada' }, { secret: 'a'.repeat(32) })
      const refused = await look(forged)
      expect(refused.checks['token']).toMatchObject({ status: 'fail', found: containing('rejected') })
      expect(refused.stdout).not.toContain(forged)

      const target = { url: server.url, explicit: true }
      const clock = async (ahead: number) => named(await runChecks(target, () => Date.now() + ahead))['clock']
      expect((await clock(10_000))?.status).toBe('warn')
      expect((await clock(90_000))?.status).toBe('fail')
    } finally {
      await server.close()
    }
    expect((await look()).checks['server']).toMatchObject({ status: 'fail', advice: containing('throughline serve') })
  })

  it('without tokens prints whom it serves, and the health of its cache', async () => {
    const redis = await startRedis()
    const databases = await databasesOf(inject('postgres')[0]?.url ?? '')
    const database = await databases.create()
    const server = await serve({ url: database.url(SERVING), cache: redis.url, port: 0, log: 'silent' })
    try {
      expect((await server.tl.health()).cache).toMatchObject({
        name: 'redis',
        ok: true,
        details: { policy: 'noeviction' },
      })
      const { checks } = await looked(['--url', server.url])
      expect(checks['token']?.found).toContain('every user of tenant local')
      expect(checks['cache']).toMatchObject({ status: 'ok', found: 'redis: answers' })
      await redis.crash()
      expect((await server.tl.health()).cache).toMatchObject({ ok: false })
      const sick = await looked(['--url', server.url])
      expect(sick).toMatchObject({ code: 0, checks: { cache: { status: 'warn' }, store: { status: 'ok' } } })
    } finally {
      await server.close()
      await database.destroy()
      await databases.close()
      await redis.stop()
    }
  })
})

// each waits as long as it may
if (isProving)
  describe('doctor on a silent port', () => {
    let silent: TcpServer
    let port: number
    beforeAll(async () => {
      silent = createServer(() => {})
      await new Promise<void>((resolve) => void silent.listen(0, '127.0.0.1', resolve))
      const address = silent.address()
      port = typeof address === 'object' && address !== null ? address.port : 0
    })
    afterAll(() => void silent.close())

    it.each([
      ['postgres', 'store'],
      ['http', 'server'],
    ])('gives up within seconds: %s', async (scheme, name) => {
      const cache = scheme === 'postgres' ? { cache: `redis://127.0.0.1:${port}` } : {}
      const checks = named(await runChecks({ url: `${scheme}://127.0.0.1:${port}`, explicit: true, ...cache }))
      expect(checks[name]).toMatchObject({ status: 'fail', found: containing('within 5 s') })
    })
  })
