import { setImmediate as nextTurn } from 'node:timers/promises'
import { StorageError, ThroughlineError } from '../../domain/errors.ts'
import type { SessionStore } from '../../ports/session-store.ts'
import { logWriter } from './append.ts'
import { commitQueue } from './commit-queue.ts'
import { connect, type Durability, storageError, whenFree } from './connection.ts'
import { Heads } from './heads.ts'
import { sessionLister } from './list.ts'
import { migrate, refuseForeign, requireSchema, schemaOf } from './migrate.ts'
import { logReader } from './read.ts'
import { sessionWriter } from './sessions.ts'
import { watchers } from './watch.ts'
import { workReader, workWriter } from './work.ts'

const READS_PER_TURN = 16

export interface SqliteOptions {
  path: string
  durability: Durability
  /** False: a file with an older schema is refused with `SCHEMA_OUTDATED` instead of brought up to date. */
  migrate: boolean
  newId: () => string
}

/** Keeps everything in one SQLite file that any number of processes on one machine may use at once. */
export async function sqliteStore(options: SqliteOptions): Promise<SessionStore> {
  const db = await connect(options.path, options.durability, refuseForeign)
  try {
    if (options.migrate) await migrate(db)
    else requireSchema(db)
  } catch (error) {
    db.close()
    throw error instanceof ThroughlineError ? error : storageError(error, `cannot migrate '${options.path}'`)
  }

  const heads = new Heads(db)
  const work = workWriter(db)
  const log = logWriter(db, heads, work)
  const sessions = sessionWriter(db, heads, log, work, options.newId)
  const reader = logReader(db)
  const lister = sessionLister(db)
  const workDone = workReader(db)
  const watching = watchers(db)
  const queue = commitQueue(db, {
    beforeCommit: () => heads.flush(),
    afterwards(committed) {
      const touched = heads.reset()
      if (committed) watching.wake(touched)
    },
  })
  let closed = false
  let reads = 0

  function ready(): void {
    if (closed) throw new StorageError('sqlite', 'the store is closed')
  }

  async function write<T>(work: () => T): Promise<T> {
    ready()
    return await queue.add(work)
  }

  async function look<T>(work: () => T): Promise<T> {
    ready()
    // a read ends within the turn it began in: a caller that only reads in a loop would keep the event loop for itself
    if (++reads % READS_PER_TURN === 0) await nextTurn()
    try {
      return await whenFree(work)
    } catch (error) {
      throw error instanceof ThroughlineError ? error : storageError(error)
    }
  }

  return {
    name: 'sqlite',
    create: (request) => write(() => sessions.create(request)),
    append: (request) => write(() => log.append(request)),
    decide: (request) => write(() => log.decide(request)),
    fork: (request) => write(() => sessions.fork(request)),
    repair: (key, expectedHead, view, edges) => write(() => sessions.repair(key, expectedHead, view, edges)),
    purge: (key, at) => write(() => sessions.purge(key, at)),
    load: (key) => look(() => reader.load(key)),
    read: (key, query) => look(() => reader.read(key, query)),
    active: (query) => look(() => sessions.active(query)),
    list: (query) => look(() => lister.list(query)),
    sessionIds: (query) => look(() => lister.sessionIds(query)),
    totals: (within) => look(() => lister.totals(within)),
    edges: (key, query) => look(() => workDone.edges(key, query)),
    commits: (query) => look(() => workDone.commits(query)),
    due: (query) => look(() => workDone.due(query)),
    watch(sessionId, wake) {
      ready()
      return watching.add(sessionId, wake)
    },
    health: () =>
      look(() => ({
        schema: schemaOf(db),
        details: {
          file: options.path,
          journal: String(db.pragma('journal_mode', { simple: true })),
          synchronous: SYNCHRONOUS[Number(db.pragma('synchronous', { simple: true }))] ?? 'unknown',
          sqlite: String(db.prepare('select sqlite_version()').pluck().get()),
        },
      })),
    async close() {
      if (closed) return
      closed = true
      await queue.idle()
      watching.close()
      db.close()
    },
  }
}

const SYNCHRONOUS = ['off', 'normal', 'full', 'extra']
