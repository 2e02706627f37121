import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { SchemaOutdatedError, StorageError, ThroughlineError } from '../../domain/errors.ts'
import type { Store } from '../../ports/store.ts'
import { existsSync } from '../files.ts'
import { BLANK } from '../migrations.ts'
import { logWriter } from './append.ts'
import { commitQueue } from './commit-queue.ts'
import { commitReader } from './commits.ts'
import { type ConnectOptions, connect, raiseCheckpointSize, storageError, whenFree } from './connection.ts'
import { envelopeReader, envelopeWriter } from './envelopes.ts'
import { HeadCache } from './head-cache.ts'
import { healthReader } from './health.ts'
import { importReader, importWriter } from './imports.ts'
import { intakeGate } from './intake.ts'
import { sessionLister } from './list.ts'
import { memoryKeys } from './memory-keys.ts'
import { memoryReader } from './memory-read.ts'
import { memoryWriter } from './memory-write.ts'
import { knownSchema, migrate, refuseForeign, requireSchema } from './migrate.ts'
import { logReader } from './read.ts'
import { markReader } from './recall-marks.ts'
import { partitionWriter } from './recall-partition.ts'
import { groupPostings } from './recall-postings.ts'
import { indexReader } from './recall-read.ts'
import { indexWriter } from './recall-write.ts'
import { sessionWriter } from './sessions.ts'
import { watchers } from './watch.ts'
import { workReader, workWriter } from './work.ts'

const READS_PER_TURN = 16

/** Writes that share a transaction where many write at once. */
const CROWD = 8

export interface SqliteOptions extends ConnectOptions {
  /** False: a file with an older schema, or none, is refused with `SCHEMA_OUTDATED` and left as it is. */
  migrate: boolean
  newId: () => string
}

/** Keeps everything in one SQLite file that any number of processes on one machine may use at once. */
export async function sqliteStore(options: SqliteOptions): Promise<Store> {
  const db = options.migrate ? await migrated(options) : await asItIs(options)

  const heads = new HeadCache(db)
  const work = workWriter(db)
  const envelopes = envelopeWriter(db)
  const log = logWriter(db, heads, work, envelopes)
  const shelves = partitionWriter(db)
  const indexed = indexWriter(db, shelves)
  const taking = intakeGate(db)
  const sessions = sessionWriter(db, { heads, log, work, index: indexed, envelopes, intake: taking }, options.newId)
  const imports = importWriter(db, { heads, log, work, sessions })
  const imported = importReader(db)
  const keys = memoryKeys(db)
  const memories = memoryWriter(db, keys, shelves, indexed, sessions.purge)
  const remembered = memoryReader(db)
  const marks = markReader(db)
  const words = indexReader(db)
  const reader = logReader(db)
  const lister = sessionLister(db)
  const workDone = workReader(db)
  const chains = commitReader(db)
  const kept = envelopeReader(db)
  const watching = watchers(db)
  const health = healthReader(db, options.path)
  const queue = commitQueue(db, {
    begun(writes) {
      heads.begin()
      if (writes >= CROWD && !isCrowded) raiseCheckpointSize(db)
      isCrowded ||= writes >= CROWD
    },
    beforeCommit: () => heads.flush(),
    afterwards(committed) {
      const touched = heads.end(committed)
      if (committed) watching.wake(touched)
    },
  })
  let closed = false
  let isCrowded = false
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
    record: (key) => look(() => reader.record(key)),
    state: (key) => look(() => reader.state(key)),
    read: (key, query) => look(() => reader.read(key, query)),
    active: (query) => look(() => sessions.active(query)),
    list: (query) => look(() => lister.list(query)),
    sessionIds: (query) => look(() => lister.sessionIds(query)),
    totals: (within) => look(() => lister.totals(within)),
    edges: (key, query) => look(() => workDone.edges(key, query)),
    commits: (query) => look(() => chains.commits(query)),
    due: (query) => look(() => workDone.due(query)),
    pausedSince: () => look(() => taking.pausedSince()),
    pause: (since) => write(() => taking.pause(since)),
    envelopes: {
      page: (query) => look(() => kept.page(query)),
      find: (ids) => look(() => kept.find(ids)),
      count: (which) => look(() => kept.count(which)),
      remove: (which, limit) => write(() => envelopes.remove(which, limit)),
    },
    imports: {
      find: (sessionId) => look(() => imported.find(sessionId)),
      write: (block) => write(() => imports.write(block)),
      unfinished: (query) => look(() => imported.unfinished(query)),
      discard: (sessionId) => write(() => imports.discard(sessionId)),
    },
    memories: {
      change: (request) => write(() => memories.change(request)),
      markUsed: (user, ids, at) => write(() => memories.markUsed(user, ids, at)),
      forgetKeys: (before, limit, within) => write(() => keys.forget(before, limit, within)),
      purge: (user) => write(() => memories.purge(user)),
      get: (ids, within) => look(() => remembered.get(ids, within)),
      list: (query) => look(() => remembered.list(query)),
      history: (id, within) => look(() => remembered.history(id, within)),
      fromSource: (query) => look(() => remembered.fromSource(query)),
      expired: (at, limit, within) => look(() => remembered.expired(at, limit, within)),
      findAnswer: (stamp, within) => look(() => keys.answered(stamp, within)),
      unindexed: (user, version, limit) => look(() => remembered.unread(user, version, limit)),
    },
    index: {
      async add(request) {
        // before the queue: what cannot be read breaks nobody else's write, and the lock is held for less time
        const blocks = groupPostings(request.messages)
        return await write(() => indexed.add(request, blocks))
      },
      drop: (sessionId) => write(() => indexed.drop(sessionId)),
      mark: (sessionId) => look(() => marks.mark(sessionId)),
      marks: (user, version, newest) => look(() => marks.marks(user, version, newest)),
      async behind({ version, after: from, limit }) {
        const found: string[] = []
        let after = from ?? ''
        for (let more = true; more && found.length < limit; ) {
          const page = await look(() => marks.behind({ version, after, limit: limit - found.length }))
          found.push(...page.ids)
          more = page.after !== undefined
          after = page.after ?? after
        }
        return found
      },
      lookup: (shelf, terms) => look(() => words.lookup(shelf, terms)),
      postings: (shelf, terms, limit) => look(() => words.postings(shelf, terms, limit)),
      facts: (user, query) => look(() => words.facts(user, query)),
      events: (user, places) => look(() => words.events(user, places)),
    },
    watch(sessionId, wake) {
      ready()
      return watching.add(sessionId, wake)
    },
    health: () => look(health),
    async close() {
      if (closed) return
      closed = true
      await queue.idle()
      watching.close()
      db.close()
    },
  }
}

async function migrated(options: SqliteOptions): Promise<Database> {
  const db = await connect({ blank: BLANK, ...options }, refuseForeign)
  try {
    await migrate(db)
    return db
  } catch (error) {
    db.close()
    throw error instanceof ThroughlineError ? error : storageError(error, `cannot migrate '${options.path}'`)
  }
}

async function asItIs(options: SqliteOptions): Promise<Database> {
  // opening would make it
  if (!existsSync(options.path)) throw new SchemaOutdatedError({ found: 0, needed: knownSchema() })
  return await connect(options, (db) => {
    refuseForeign(db)
    requireSchema(db)
  })
}
