import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { defined } from '../../domain/optional.ts'
import { sweepSessions } from '../../features/maintenance/sweep.ts'
import { uuid7 } from '../../ids.ts'
import { open, openDeps } from '../../open/open.ts'
import type { SessionKey } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { blockOf, endSteps, foreignSession, importSession, WORK } from '../conformance/import-samples.ts'
import { describeSessionStore } from '../conformance/index.ts'
import {
  ADA,
  appendRequest,
  createRequest,
  createSession,
  expectError,
  forkSession,
  NOON,
  putRequest,
  readLog,
  someEvent,
  someEvents,
  someMemory,
  someMessage,
  upTo,
} from '../conformance/samples.ts'
import { sqliteStore } from './index.ts'

let folder: string
let path: string
let store: Store
let other: Store

/** A store that does as little as possible in one transaction. */
const inSmallPieces = (at: string) =>
  sqliteStore({ path: at, durability: 'full', migrate: true, newId: uuid7, pieceMs: 0 })

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  path = join(folder, 'sessions.db')
  store = await inSmallPieces(path)
  other = await inSmallPieces(path)
})

afterEach(async () => {
  await store.close()
  await other.close()
  await rm(folder, { recursive: true })
})

function sql<T>(work: (db: Database.Database) => T): T {
  const db = new Database(path)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** Tables that contain the text. */
function tablesWith(text: string): string[] {
  return sql((db) => {
    const tables = db.prepare<[], string>("select name from sqlite_schema where type = 'table'").pluck().all()
    return tables.filter((table) => {
      const rows = db.prepare<[], object>(`select * from "${table}"`).all()
      const hex = text.replaceAll('-', '')
      return rows.some((row) =>
        Object.values(row).some((value) => value === text || (Buffer.isBuffer(value) && value.toString('hex') === hex)),
      )
    })
  })
}

/** A session with several pieces of everything that a purge removes. */
async function largeSession(events = 100): Promise<string> {
  const life = foreignSession({ conversationId: uuid7() }, [
    ...upTo(20).flatMap(() => WORK),
    ...upTo(events).map(() => ['user_message'] as const),
  ])
  await importSession(store, life)
  const { sessionId } = life
  await store.append(appendRequest(sessionId, { idempotency: { key: 'key', fingerprint: 'f' } }))
  const terms = upTo(450).map((n) => `term${n}`)
  const messages = upTo(3).map((turn) => someMessage(turn, terms))
  await store.index.add({ sessionId, from: 0, to: 50, version: 1, messages })
  return sessionId
}

/** Waits until another connection has hidden a session, and returns its id. */
async function hiddenId(): Promise<string> {
  for (;;) {
    const [id] = await other.imports.unfinished({ limit: 1 })
    if (id !== undefined) return id
    await nextTurn()
  }
}

/** Begins long work and closes its store in the middle, as a crash would end it. */
async function interrupt(work: Promise<unknown>): Promise<string> {
  const failed = expectError('STORAGE', work)
  const id = await hiddenId()
  await store.close()
  await failed
  store = await inSmallPieces(path)
  return id
}

const expire = () => sql((db) => db.exec("update hidden_sessions set touched_at = '2000-01-01T00:00:00.000Z'"))
const countEvents = (id: string) =>
  sql((db) => db.prepare('select count(*) from session_events where session_id = ?').pluck().get(id)) as number

/** What other calls see of a session. */
async function seen(of: Store, key: SessionKey): Promise<unknown[]> {
  const { sessionId } = key
  return [
    await of.load(key),
    await of.read(key, { order: 'asc', limit: 1000 }).then(
      (log) => log.length,
      (error) => error.code,
    ),
    await of.edges(key, { limit: 1 }).then(
      () => 'edges',
      (error) => error.code,
    ),
    (await of.sessionIds({ limit: 9 })).includes(sessionId),
    (await of.list({ tenant: 'local', limit: 9 })).some(({ id }) => id === sessionId),
    await of.index.mark(sessionId),
  ]
}
const NOTHING = [undefined, 'SESSION_NOT_FOUND', 'SESSION_NOT_FOUND', false, false, undefined]

describe('a purge in pieces', () => {
  it('S22 hides the session first, lets other writers in between, and counts everything', async () => {
    const [sessionId, mine, theirs] = [await largeSession(1000), await createSession(store), await createSession(store)]
    const events = countEvents(sessionId)
    const order: string[] = []
    const purging = store.purge({ sessionId }, NOON).then((counts) => {
      order.push('purged')
      return counts
    })
    expect(await hiddenId()).toBe(sessionId)
    expect(await seen(other, { sessionId })).toEqual(NOTHING)
    await Promise.all([
      store.append(appendRequest(mine)).then(() => order.push('written')),
      other.append(appendRequest(theirs)).then(() => order.push('written')),
    ])
    expect(countEvents(sessionId)).toBeGreaterThan(0)
    expect(await purging).toEqual({ events, keys: 1 })
    expect(order).toEqual(['written', 'written', 'purged'])
    expect(tablesWith(sessionId)).toEqual([])
    expect(await store.totals(undefined)).toEqual({ sessions: 2, events: 4 })
    expect(await store.index.lookup({ ...ADA, corpus: 'messages' }, ['term1'])).toMatchObject({ messages: 0, terms: 0 })
  })

  it('M2 with changed memories hides the session in the step of the change', async () => {
    const sessionId = await largeSession()
    const memory = someMemory({ lineage: [{ relation: 'origin', at: NOON, sessionId }] })
    await store.memories.change(putRequest([{ memory }]))
    const change = { ...ADA, at: NOON, ids: [memory.id], purge: [sessionId] }
    await interrupt(store.memories.change({ ...change, decide: () => ({ puts: [], removals: [memory.id] }) }))
    expect(await seen(store, { sessionId })).toEqual(NOTHING)
    expect(await store.memories.get([memory.id], undefined)).toEqual([])
  })

  it('that was interrupted is completed by the next purge of its owner only', async () => {
    const sessionId = await largeSession()
    await interrupt(store.purge({ sessionId }, NOON))
    expect(await seen(store, { sessionId })).toEqual(NOTHING)
    await expectError('SESSION_NOT_FOUND', store.purge({ sessionId }, NOON))
    const within = { tenant: 'local', userId: 'bob' }
    expect(await store.imports.unfinished({ limit: 9, within })).toEqual([])
    expect(await store.imports.discard({ sessionId, within })).toBe(0)
    const left = countEvents(sessionId)
    expect(left).toBeGreaterThan(0)
    expect(await store.imports.discard({ sessionId, within: ADA })).toBe(left)
    expect(tablesWith(sessionId)).toEqual([])
    expect(await store.imports.discard({ sessionId })).toBe(0)
  })

  it.each(['session', 'user'])('that was interrupted is completed by tl: purge of the %s', async (what) => {
    const sessionId = await largeSession()
    await interrupt(store.purge({ sessionId }, NOON))
    const left = countEvents(sessionId)
    const tl = await open(`sqlite:${path}`)
    const receipt = await (what === 'session' ? tl.sessions.purge(sessionId) : tl.users.purge('ada'))
    expect(receipt).toMatchObject({ sessions: 1, events: left })
    await tl.close()
    expect(tablesWith(sessionId)).toEqual([])
  })

  it('S22 of several sessions hides all of them at once; a sweep removes what a crash leaves', async () => {
    const root = await largeSession()
    const child = await createSession(store, { parent: { sessionId: root } })
    const below = await createSession(store, { parent: { sessionId: child }, metadata: { project: 'x' } })
    const purge = [root, child, below]
    await interrupt(store.memories.change({ ...ADA, at: NOON, purge, decide: () => ({ puts: [] }) }))
    for (const sessionId of purge) expect(await seen(store, { sessionId })).toEqual(NOTHING)
    expect(await store.labelled({ tenant: 'local', label: '["project","x"]', limit: 9 })).toEqual([])
    expire()
    const { deps, close } = await openDeps({ url: `sqlite:${path}`, index: false })
    await sweepSessions(deps)
    await close()
    for (const sessionId of purge) expect(tablesWith(sessionId)).toEqual([])
  })

  it('that was interrupted is completed by a sweep, once its process has ended', async () => {
    const sessionId = await largeSession()
    await interrupt(store.purge({ sessionId }, NOON))
    const { deps, close } = await openDeps({ url: `sqlite:${path}`, index: false })
    await sweepSessions(deps)
    expect(countEvents(sessionId)).toBeGreaterThan(0)
    expire()
    await sweepSessions(deps)
    await close()
    expect(tablesWith(sessionId)).toEqual([])
  })

  it('makes a new session with its id wait for the end', async () => {
    for (const isNew of [true, false]) {
      const sessionId = await largeSession()
      const purging = store.purge({ sessionId }, NOON)
      await hiddenId()
      const life = foreignSession({ id: sessionId }, WORK)
      if (isNew) expect((await other.create(createRequest({ id: sessionId }))).outcome).toBe('created')
      else await other.imports.write(blockOf(life))
      expect(await purging).toMatchObject({ keys: 1 })
      expect(await readLog(store, sessionId)).toHaveLength(isNew ? 1 : life.events.length)
      expect(await store.edges({ sessionId }, { limit: 1 })).toHaveLength(isNew ? 0 : 1)
      expect((await store.index.mark(sessionId))?.indexed).toBe(0)
    }
  })

  it('that was interrupted is completed by a new session with its id', async () => {
    const sessionId = await largeSession()
    await interrupt(store.purge({ sessionId }, NOON))
    expire()
    expect((await store.create(createRequest({ id: sessionId }))).outcome).toBe('created')
    expect(await readLog(store, sessionId)).toHaveLength(1)
    expect(await store.edges({ sessionId }, { limit: 1 })).toEqual([])
    expect(await store.imports.unfinished({ limit: 1 })).toEqual([])
  })

  it('T5 removes an unfinished import in the same way', async () => {
    const life = foreignSession({}, [...upTo(40).flatMap(() => WORK), ...endSteps(1)])
    await store.imports.write(blockOf(life, 0, 300))
    await interrupt(store.imports.discard(life))
    expect(await store.imports.find(life.sessionId)).toBeUndefined()
    await store.imports.discard(life)
    expect(tablesWith(life.sessionId)).toEqual([])
  })
})

describe('a fork in pieces', () => {
  it('S10 is the same as one in one step, and hidden until it is complete', async () => {
    const source = await largeSession(300)
    const { head } = (await store.load({ sessionId: source }))?.record ?? { head: 0 }
    const forking = forkSession(store, source, head - 1)
    const copy = await hiddenId()
    expect(await seen(other, { sessionId: copy })).toEqual(NOTHING)
    await other.append(appendRequest(source, { events: someEvents(2) }))
    let isForking = true
    const forked = forking.finally(() => {
      isForking = false
    })
    // a failing write runs the others of its batch again
    const broken = appendRequest(source, { events: [{ ...someEvent(), role: null as never }] })
    const failures: Promise<unknown>[] = []
    while (isForking) {
      failures.push(expectError('STORAGE', store.append(broken)))
      // in the phase of timers, as the pieces are, so that some follow a piece in its batch
      await new Promise((resolve) => setTimeout(resolve))
    }
    await Promise.all(failures)
    expect(await forked).toBe(copy)
    const read = async (sessionId: string, types?: string[]) => {
      const log = await store.read({ sessionId }, { before: head, order: 'asc', limit: 1000, ...defined({ types }) })
      return log.map(({ id: _, ...event }) => event)
    }
    expect((await read(copy)).length).toBe(head - 1)
    expect(await read(copy)).toEqual(await read(source))
    for (const type of ['user_message', 'work_committed']) {
      expect(await read(copy, [type])).toEqual(await read(source, [type]))
    }
    expect(await store.edges({ sessionId: copy }, { limit: 1000 })).toEqual(
      await store.edges({ sessionId: source }, { limit: 1000 }),
    )
    expect(tablesWith(copy)).not.toContain('hidden_sessions')
  })

  it('that was interrupted leaves nothing that a call sees, and a sweep removes the rest', async () => {
    const source = await largeSession()
    const copy = await interrupt(forkSession(store, source, 200))
    expect(await seen(store, { sessionId: copy })).toEqual(NOTHING)
    expect(await store.imports.unfinished({ limit: 9, abandoned: true })).toEqual([])
    expire()
    expect(await store.imports.unfinished({ limit: 9, abandoned: true })).toEqual([copy])
    const { deps, close } = await openDeps({ url: `sqlite:${path}`, index: false })
    await sweepSessions(deps)
    await close()
    expect(tablesWith(copy)).toEqual([])
    expect((await readLog(store, source)).length).toBe(countEvents(source))
  })

  it('fails if its source is purged meanwhile, even if a new session took the id', async () => {
    const source = await largeSession(400)
    const forking = expectError('SESSION_NOT_FOUND', forkSession(store, source, 400))
    const copy = await hiddenId()
    await other.purge({ sessionId: source }, NOON)
    await forking
    expect(tablesWith(copy)).toEqual([])
    expect(tablesWith(source)).toEqual([])
  })

  it('fails if its copy is removed meanwhile', async () => {
    const source = await largeSession(400)
    const forking = expectError('STORAGE', forkSession(store, source, 400))
    const copy = await hiddenId()
    await other.imports.discard({ sessionId: copy })
    await forking
    expect(tablesWith(copy)).toEqual([])
  })

  it('S9 is made once by concurrent calls with the same id', async () => {
    const source = await largeSession()
    const { event, view } = createRequest({ id: uuid7() })
    const fork = (of: Store) => of.fork({ source: { sessionId: source, sequence: 200 }, event, at: NOON, view })
    const first = fork(store)
    await hiddenId()
    const second = fork(other)
    expect([(await first).outcome, (await second).outcome]).toEqual(['created', 'same-id'])
    expect(countEvents(view.record.id)).toBe(201)
  })
})

describeSessionStore(
  {
    name: 'sqlite in small pieces',
    async create() {
      const inside = await mkdtemp(join(tmpdir(), 'throughline-'))
      return {
        connect: () => inSmallPieces(join(inside, 'sessions.db')),
        destroy: () => rm(inside, { recursive: true }),
      }
    },
  },
  {
    describe,
    it: (name, body, timeout) => (/^(S10|S22|S27|T5|T6|M2|I8) /.test(name) ? it(name, body, timeout) : undefined),
  },
)
