import { StorageError, ThroughlineError } from '../../domain/errors.ts'
import type { StoreClock } from '../../ports/clock.ts'
import type { SessionKey, StoredEvent } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { appendQueue } from './append-queue.ts'
import { connect, READ_ONLY_HINT, storageError } from './connection.ts'
import { databaseClock } from './database-clock.ts'
import { decideIn } from './decide.ts'
import { envelopeCalls } from './envelopes.ts'
import { importCalls } from './imports.ts'
import { memoryCalls } from './memories.ts'
import { currentSchema, migrate, requireSchema } from './migrate.ts'
import { type Partitions, partitionsOf } from './partitions.ts'
import { readCalls } from './read.ts'
import { recallCalls } from './recall.ts'
import { runCalls } from './runs.ts'
import { ScratchpadCache } from './scratchpad-cache.ts'
import { sessionLocator } from './session-locator.ts'
import { sessionCalls } from './sessions.ts'
import { storageCalls } from './storage.ts'
import { TaskQueue } from './task-queue.ts'
import { usageCalls } from './usage.ts'
import { watchers } from './watch.ts'
import { workCalls } from './work.ts'

export { type ConnectionFailure, examinePostgres, type PostgresFacts } from './examine.ts'

export interface PostgresOptions {
  url: string
  /** Whether to migrate an older schema; otherwise it is refused with `SCHEMA_OUTDATED`. */
  migrate: boolean
}

/** A store in Postgres 15 or newer, shared by any number of processes and machines. */
export async function postgresStore(options: PostgresOptions): Promise<Store> {
  const connections = await connect(options.url)
  let partitions: Partitions
  let clock: StoreClock
  try {
    if (options.migrate) await migrate(options.url, connections)
    else await requireSchema(connections)
    partitions = await partitionsOf(connections)
    clock = await databaseClock(connections)
  } catch (error) {
    await connections.close()
    throw storageError(error, 'cannot open the database')
  }

  const locator = sessionLocator(connections)
  const sessions = sessionCalls(connections, locator, partitions)
  const reads = readCalls(connections, locator, partitions)
  const work = workCalls(connections, locator, partitions)
  const runs = runCalls(connections, locator, partitions)
  const usage = usageCalls(connections, locator, partitions)
  const storage = storageCalls(connections, locator, partitions)
  const watching = watchers(connections)
  async function range(key: SessionKey, first: number, last: number): Promise<StoredEvent[]> {
    const events: StoredEvent[] = []
    for (let next = first; next <= last; next = first + events.length) {
      const query = { after: next - 1, before: last + 1, order: 'asc', limit: last - next + 1 } as const
      const page = await reads.read(key, query)
      if (page.length === 0) break
      events.push(...page)
    }
    return events
  }
  const onWritten = (ids: string[]) => watching.notify(ids)
  const queue = appendQueue({ connections, locator, replay: range, onWritten }, partitions)
  let closed = false
  let running = 0
  let onIdle = () => {}

  function requireOpen(): void {
    if (closed) throw new StorageError('postgres', 'the store is closed')
  }

  /** Runs one call of the port. Those that were accepted may take several statements, so a close waits for them. */
  async function call<T>(work: () => Promise<T>): Promise<T> {
    requireOpen()
    running++
    try {
      return await work()
    } catch (error) {
      throw isDriverError(error) ? storageError(error) : error
    } finally {
      running--
      if (running === 0) onIdle()
    }
  }

  /** Wraps each function in {@link call}. */
  function guarded<Calls extends object>(calls: Calls): Calls {
    const entries = Object.entries(calls as Record<string, (...given: unknown[]) => Promise<unknown>>)
    return Object.fromEntries(
      entries.map(([name, run]) => [name, (...given: unknown[]) => call(() => run(...given))]),
    ) as Calls
  }

  /** Runs a write and notifies watchers of the session. */
  async function write<T>(sessionId: string, work: () => Promise<T>): Promise<T> {
    const result = await call(work)
    watching.notify([sessionId])
    return result
  }

  const decisions = new TaskQueue(LONGEST_DECISION)
  const scratchpads = new ScratchpadCache()
  const memories = guarded(memoryCalls(connections, locator, partitions))
  const imports = guarded(importCalls(connections, locator, partitions))
  return {
    name: 'postgres',
    clock: { now: clock.now, sync: () => call(clock.sync) },
    create: (request) => call(() => sessions.create(request)),
    append: (request) => call(() => queue.append(request)),
    decide: (request) => {
      const replay = (first: number, last: number) => range(request, first, last)
      const decide = (partition: number) => decideIn(connections, scratchpads, request, partition, replay)
      return write(request.sessionId, () => decisions.run(request.sessionId, () => locator.at(request, decide)))
    },
    fork: (request) => call(() => sessions.fork(request)),
    repair: (...given) => call(() => sessions.repair(...given)),
    purge: (key, at) => write(key.sessionId, () => sessions.purge(key, at)),
    // old row versions stay until a vacuum, which is not for the serving role to run
    erase: () => call(async () => true),
    load: (key) => call(() => sessions.load(key)),
    record: (key) => call(() => sessions.record(key)),
    state: (key) => call(() => sessions.state(key)),
    read: (key, query) => call(() => reads.read(key, query)),
    checksums: (key, range) => call(() => reads.checksums(key, range)),
    active: (query) => call(() => sessions.active(query)),
    list: (query) => call(() => reads.list(query)),
    descendants: (key) => call(() => reads.descendants(key)),
    labelled: (query) => call(() => reads.labelled(query)),
    usage: (query) => call(() => usage.sums(query)),
    usageRows: (key, query) => call(() => usage.rows(key, query)),
    storage: (query) => call(() => storage.sums(query)),
    logSize: (key) => call(() => storage.size(key)),
    sessionIds: (query) => call(() => reads.sessionIds(query)),
    totals: (within) => call(() => reads.totals(within)),
    edges: (key, query) => call(() => work.edges(key, query)),
    workMark: (key, tools) => call(() => work.workMark(key, tools)),
    deriveWork: (request) => call(() => work.deriveWork(request)),
    commits: (query) => call(() => work.commits(query)),
    due: (query) => call(() => work.due(query)),
    renew: (request) => call(() => runs.renew(request)),
    claimable: (query) => call(() => runs.claimable(query)),
    asking: (query) => call(() => runs.asking(query)),
    pausedSince: () => call(() => sessions.pausedSince()),
    pause: (since) => call(() => sessions.pause(since)),
    secret: (candidate) => call(() => sessions.secret(candidate)),
    memories: {
      ...memories,
      change: async (request) => {
        const changed = await memories.change(request)
        if (request.purge !== undefined) watching.notify([...request.purge])
        return changed
      },
    },
    index: guarded(recallCalls(connections, locator, partitions)),
    envelopes: guarded(envelopeCalls(connections, partitions)),
    imports: { ...imports, write: (block) => write(block.sessionId, () => imports.write(block)) },
    watch(sessionId, wake) {
      requireOpen()
      return watching.add(sessionId, wake)
    },
    health: () =>
      call(async () => {
        const [row] = await connections.query<Health>({ name: 'health', text: HEALTH }, [], { retry: true })
        const { version = '', role = '', rights = '', writable = false } = row ?? {}
        if (!writable) throw new StorageError('postgres', `the server takes no writes${READ_ONLY_HINT}`)
        // loads a session that does not exist, to check that the tables exist and the role may read them
        await sessions.load({ sessionId: NO_SESSION })
        return {
          schema: await currentSchema(connections),
          details: { postgres: version, role, rights, waiting: connections.waiting() },
        }
      }),
    async close() {
      if (closed) return
      closed = true
      if (running > 0) {
        await new Promise<void>((resolve) => {
          onIdle = resolve
        })
      }
      await queue.idle()
      await watching.close()
      await connections.close()
    },
  }
}

/** Milliseconds that a decision delays the next one on its session at most. */
const LONGEST_DECISION = 2000

const NO_SESSION = '00000000-0000-0000-0000-000000000000'

/** The connected role; `rights` is `restricted` unless it bypasses row level security. */
const HEALTH = `
  select current_setting('server_version') as version, current_user as role,
    current_setting('transaction_read_only') = 'off' as writable,
    case when rolsuper then 'superuser' when rolbypassrls then 'bypassrls' else 'restricted' end as rights
  from pg_roles where rolname = current_user`

interface Health {
  version: string
  role: string
  rights: string
  writable: boolean
}

/** Our own errors and those of deciders reach the caller unchanged. */
function isDriverError(error: unknown): boolean {
  return !(error instanceof ThroughlineError) && error instanceof Error && ('code' in error || 'severity' in error)
}
