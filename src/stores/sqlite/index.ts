import type { Database } from 'better-sqlite3'
import { SchemaOutdatedError, StorageError } from '../../domain/errors.ts'
import { FairQueue } from '../../fair-queue.ts'
import type { Store } from '../../ports/store.ts'
import { existsSync } from '../files.ts'
import { TEMPLATE } from '../migrations.ts'
import { collectStorage } from '../storage-pages.ts'
import { collectUsage } from '../usage-pages.ts'
import { logWriter } from './append.ts'
import { childSessions } from './children.ts'
import { commitQueue } from './commit-queue.ts'
import { commitReader } from './commits.ts'
import { type ConnectOptions, connect, raiseCheckpointSize, retryWhileBusy, storageError } from './connection.ts'
import { envelopeReader, envelopeWriter } from './envelopes.ts'
import { eraseLog } from './erase.ts'
import { HeadCache } from './head-cache.ts'
import { healthReader } from './health.ts'
import { hiddenSessions } from './hidden-sessions.ts'
import { importReader, importWriter } from './imports.ts'
import { intakeGate } from './intake.ts'
import { labelReader, labelWriter } from './labels.ts'
import { sessionLister } from './list.ts'
import { longWork } from './long-work.ts'
import { createMemoryKeys } from './memory-keys.ts'
import { memoryReader } from './memory-read.ts'
import { memoryWriter } from './memory-write.ts'
import { knownSchema, migrate, refuseForeign, requireSchema, schemaGuard } from './migrate.ts'
import { eventBatches, PIECE_MS } from './pieces.ts'
import { logReader } from './read.ts'
import { markReader, readMarks } from './recall-marks.ts'
import { partitionWriter } from './recall-partition.ts'
import { groupPostings } from './recall-postings.ts'
import { indexReader } from './recall-read.ts'
import { indexWriter } from './recall-write.ts'
import { collectClaimable, leaseWriter, runReader } from './runs.ts'
import { secretKeeper } from './secret.ts'
import { sessionWriter } from './sessions.ts'
import { storageReader } from './storage.ts'
import { usageReader, usageWriter } from './usage.ts'
import { createWatchers } from './watch.ts'
import { workReader, workWriter } from './work.ts'

/** Writes per transaction from which on the write-ahead log may grow. */
const GROW_LOG_AT = 8

/** Milliseconds of reading, and of work on what was read, after which other work runs. */
const READ = { ms: 10 }

/** Whose data a read is about. */
interface Owner {
  readonly tenant?: string | undefined
  readonly userId?: string | undefined
}

export interface SqliteOptions extends ConnectOptions {
  /**
   * Whether to migrate a missing or older schema; if not, it is refused with `SCHEMA_OUTDATED` and the file stays
   * unchanged.
   */
  migrate: boolean
  newId: () => string
  /** Milliseconds of a purge, a fork or a search in one transaction. @default 5 */
  pieceMs?: number
}

/** Stores everything in one SQLite file that any number of processes on one machine may share. */
export async function sqliteStore(options: SqliteOptions): Promise<Store> {
  const db = options.migrate ? await openMigrated(options) : await openExisting(options)

  const heads = new HeadCache(db)
  const work = workWriter(db)
  const envelopes = envelopeWriter(db)
  const labels = labelWriter(db)
  const children = childSessions(db)
  const usages = usageWriter(db)
  const log = logWriter(db, heads, { work, envelopes, labels, usages })
  const partitions = partitionWriter(db)
  const index = indexWriter(db, partitions)
  const { pieceMs = PIECE_MS } = options
  const batches = eventBatches(db)
  const hidden = hiddenSessions(db, index, batches, pieceMs)
  const intake = intakeGate(db, hidden)
  const secrets = secretKeeper(db)
  const leases = leaseWriter(db, heads)
  const writers = { heads, log, work, index, envelopes, intake, hidden, batches, labels, children, usages, leases }
  const sessions = sessionWriter(db, writers, options.newId, pieceMs)
  const imports = importWriter(db, { heads, log, work, sessions, hidden, intake, usages })
  const importReads = importReader(db, hidden)
  const memoryKeys = createMemoryKeys(db)
  const memories = memoryWriter(db, memoryKeys, partitions, index, { sessions, children }, pieceMs)
  const memoryReads = memoryReader(db)
  const markReads = markReader(db)
  const indexReads = indexReader(db)
  const logReads = logReader(db)
  const sessionReads = sessionLister(db)
  const labelReads = labelReader(db)
  const usageReads = usageReader(db)
  const storageReads = storageReader(db)
  const workReads = workReader(db)
  const commitReads = commitReader(db)
  const runReads = runReader(db, pieceMs)
  const envelopeReads = envelopeReader(db)
  const watchers = createWatchers(db)
  const schema = schemaGuard(db)
  const health = healthReader(db, options.path, options)
  const queue = commitQueue(db, {
    afterBegin(writes) {
      schema.beforeWrite(heads.begin())
      if (writes >= GROW_LOG_AT && !hasGrownLog) raiseCheckpointSize(db)
      hasGrownLog ||= writes >= GROW_LOG_AT
    },
    beforeCommit: () => heads.flush(),
    afterEnd(committed) {
      const touched = heads.end(committed)
      if (committed) watchers.wake(touched)
    },
  })
  let closed = false
  let hasGrownLog = false
  const readers = new FairQueue(READ)

  function assertOpen(): void {
    if (closed) throw new StorageError('sqlite', 'the store is closed')
  }

  function write<T>(work: () => T): Promise<T> {
    return closed ? Promise.reject(new StorageError('sqlite', 'the store is closed')) : queue.add(work)
  }

  /** A read ends in its own turn of the event loop, so a few callers that go on reading would block it. */
  async function read<T>(work: () => T, owner: Owner = {}): Promise<T> {
    assertOpen()
    const turn = readers.turn([owner.tenant ?? '', owner.userId ?? ''])
    if (turn !== undefined) await turn
    try {
      return await retryWhileBusy(() => {
        schema.beforeRead()
        return work()
      })
    } catch (error) {
      throw storageError(error)
    }
  }

  const parts = { write, read, hidden, sessions, imports, memories }
  const { writeNew, fork, finishRemoval, removeAll, purgeMemories, discard } = longWork(parts)

  return {
    name: 'sqlite',
    clock: { now: () => Date.now(), sync: async () => {} },
    create: (request) => writeNew(() => sessions.create(request)),
    append: (request) => write(() => log.append(request)),
    decide: (request) => write(() => log.decide(request)),
    fork,
    repair: (...given) => write(() => sessions.repair(...given)),
    purge: async (key, at) => finishRemoval(key.sessionId, await write(() => sessions.purge(key, at))),
    async erase() {
      assertOpen()
      try {
        return await eraseLog(db)
      } catch (error) {
        throw storageError(error)
      }
    },
    load: (key) => read(() => logReads.load(key), key.within),
    record: (key) => read(() => logReads.record(key), key.within),
    state: (key) => read(() => logReads.state(key), key.within),
    read: (key, query) => read(() => logReads.read(key, query), key.within),
    checksums: (key, range) => read(() => logReads.checksums(key, range), key.within),
    active: (query) => read(() => sessions.active(query), query),
    list: (query) => read(() => sessionReads.list(query), query),
    descendants: (key) => read(() => children.descendants(key), key.within),
    labelled: (query) => read(() => labelReads.labelled(query), query),
    usage: (query) => collectUsage(query, (after) => read(() => usageReads.piece(query, after), query)),
    usageRows: (key, query) => read(() => usageReads.rows(key, query), key.within),
    storage: (query) =>
      collectStorage(query, (kind, after) => read(() => storageReads.piece(query, kind, after), query)),
    logSize: (key) => read(() => storageReads.size(key), key.within),
    sessionIds: (query) => read(() => sessionReads.sessionIds(query), query.within),
    totals: (within) => read(() => sessionReads.totals(within), within),
    edges: (key, query) => read(() => workReads.edges(key, query), key.within),
    workMark: (key, tools) => read(() => workReads.workMark(key, tools), key.within),
    deriveWork: (request) => write(() => sessions.deriveWork(request)),
    commits: (query) => read(() => commitReads.commits(query), query),
    due: (query) => read(() => workReads.due(query), query.within),
    renew: (request) => write(() => leases.renew(request)),
    claimable: (query) => collectClaimable((from) => read(() => runReads.claimable(query, from), query.within)),
    asking: (query) => read(() => runReads.asking(query), query),
    pausedSince: () => read(() => intake.pausedSince()),
    pause: (since) => write(() => intake.pause(since)),
    secret: async (candidate) => (await read(() => secrets.read())) ?? (await write(() => secrets.keep(candidate))),
    envelopes: {
      page: (query) => read(() => envelopeReads.page(query)),
      find: (ids) => read(() => envelopeReads.find(ids)),
      count: (which) => read(() => envelopeReads.count(which)),
      remove: (which, limit) => write(() => envelopes.remove(which, limit)),
    },
    imports: {
      find: (sessionId) => read(() => importReads.find(sessionId)),
      write: (block) => writeNew(() => imports.write(block)),
      unfinished: (query) => read(() => importReads.unfinished(query), query.within),
      discard,
    },
    memories: {
      async change(request) {
        const result = await write(() => memories.change(request))
        if (result.outcome !== 'written' || request.purge === undefined) return result
        return { ...result, purged: await removeAll(request.purge) }
      },
      markUsed: (user, ids, at) => write(() => memories.markUsed(user, ids, at)),
      forgetKeys: (before, limit, within) => write(() => memoryKeys.forget(before, limit, within)),
      purge: purgeMemories,
      get: (ids, within) => read(() => memoryReads.get(ids, within), within),
      list: (query) => read(() => memoryReads.list(query), query),
      history: (id, within, after) => read(() => memoryReads.history(id, within, after), within),
      fromSource: (query) => read(() => memoryReads.fromSource(query), query),
      expired: (at, limit, within) => read(() => memoryReads.expired(at, limit, within), within),
      findResponse: (stamp, within) => read(() => memoryKeys.findResponse(stamp, within), within),
      unindexed: (user, version, limit) => read(() => memoryReads.unread(user, version, limit), user),
    },
    index: {
      async add(request) {
        // before the queue: invalid input fails no other write, and the lock is held for less time
        const blocks = groupPostings(request.messages)
        return await write(() => index.add(request, blocks))
      },
      drop: (sessionId) => write(() => index.drop(sessionId)),
      mark: (sessionId) => read(() => markReads.mark(sessionId)),
      marks: (user, version, newest = Number.POSITIVE_INFINITY) =>
        readMarks(version, newest, (after) => read(() => markReads.newest(user, after), user)),
      async behind({ after: from, limit, ...query }) {
        const found: string[] = []
        let after = from ?? ''
        for (let more = true; more && found.length < limit; ) {
          const page = await read(() => markReads.behind({ ...query, after, limit: limit - found.length }))
          found.push(...page.ids)
          more = page.after !== undefined
          after = page.after ?? after
        }
        return found
      },
      lookup: (partition, terms) => read(() => indexReads.lookup(partition, terms)),
      postings: (partition, terms, limit) => read(() => indexReads.postings(partition, terms, limit)),
      facts: (user, query) => read(() => indexReads.facts(user, query), user),
      events: (user, places) => read(() => indexReads.events(user, places), user),
      hidden: (user, sessions) => read(() => indexReads.hidden(user, sessions), user),
    },
    watch(sessionId, wake) {
      assertOpen()
      return watchers.add(sessionId, wake)
    },
    health: () => read(health),
    async close() {
      if (closed) return
      closed = true
      await queue.idle()
      watchers.close()
      db.close()
    },
  }
}

async function openMigrated(options: SqliteOptions): Promise<Database> {
  const db = await connect({ template: TEMPLATE, ...options }, refuseForeign)
  try {
    await migrate(db)
    return db
  } catch (error) {
    db.close()
    throw storageError(error, `cannot migrate '${options.path}'`)
  }
}

async function openExisting(options: SqliteOptions): Promise<Database> {
  // opening would create it
  if (!existsSync(options.path)) throw new SchemaOutdatedError({ found: 0, needed: knownSchema() })
  return await connect(options, (db) => {
    refuseForeign(db)
    requireSchema(db)
  })
}
