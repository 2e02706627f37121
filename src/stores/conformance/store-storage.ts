import assert from 'node:assert/strict'
import { uuid7 } from '../../ids.ts'
import type { NewEvent, SessionStore, StorageGroup, StorageQuery } from '../../ports/session-store.ts'
import type { Rule, StoreDatabase } from './harness.ts'
import { blockOf, foreignSession } from './import-samples.ts'
import {
  advanceView,
  appendRequest,
  createSession,
  endSession,
  expectError,
  forkSession,
  NOON,
  putRequest,
  readChecksummedLog,
  someEvent,
  someMemory,
  upTo,
} from './samples.ts'

/** A text with characters of 1 to 4 bytes, and parts with a space that no encoder writes. */
const texts = (n: number): NewEvent =>
  someEvent('aä€🙂'.repeat(n), 'model_message', { role: 'assistant', parts: '{ "é": 1.50 }' })

/** Bytes of the log as it is read. */
async function bytesIn(store: SessionStore, sessionId: string): Promise<number> {
  const events = await readChecksummedLog(store, sessionId)
  return events.reduce((sum, { content, parts = '' }) => sum + Buffer.byteLength(content + parts), 0)
}

async function checkSize(store: SessionStore, sessionId: string, what: string): Promise<void> {
  const [size, record, bytes] = await Promise.all([
    store.logSize({ sessionId }),
    store.record({ sessionId }),
    bytesIn(store, sessionId),
  ])
  assert.deepEqual(size, { head: record?.head, bytes }, what)
}

const group = (key: string, sessions: number, events: number, bytes: number, memories = 0): StorageGroup => ({
  key,
  sessions,
  events,
  memories,
  bytes,
})

/** S39 the size of a log, S40 what tenants and users store, T1 the size of imports. */
export const storageRules: readonly Rule<StoreDatabase>[] = [
  {
    id: 'S39',
    title: 'counts the bytes of every append, also of those that share a batch, and none that was refused',
    async check(db) {
      const store = await db.connect()
      const [one, other, over] = await Promise.all(upTo(3).map(() => createSession(store)))
      assert(one && other && over)
      await checkSize(store, one, 'created')
      await store.append(appendRequest(one, { events: [texts(1)] }))
      await checkSize(store, one, 'one event')
      await endSession(store, over)
      const keyed = appendRequest(one, { events: [texts(2)], idempotency: { key: 'k', fingerprint: 'f' } })
      await Promise.allSettled([
        store.append(keyed),
        ...upTo(5).map((n) => store.append(appendRequest(n % 2 === 0 ? one : other, { events: upTo(n).map(texts) }))),
        store.append(appendRequest(over)),
        store.append(appendRequest(other, { events: [texts(9)], expectedSequence: 99 })),
        store.append(keyed),
      ])
      await store.append(keyed)
      for (const sessionId of [one, other, over]) await checkSize(store, sessionId, 'batch')
      await expectError('SESSION_NOT_FOUND', store.logSize({ sessionId: uuid7() }))
      const within = { tenant: 'local', userId: 'bob' }
      await expectError('SESSION_NOT_FOUND', store.logSize({ sessionId: one, within }))
    },
  },
  {
    id: 'S39',
    title: 'counts the bytes of decisions, next to appends of another connection',
    async check(db) {
      const [store, second] = await Promise.all([db.connect(), db.connect()])
      const sessionId = await createSession(store)
      const decide = (events: NewEvent[], changesRecord: boolean) =>
        store.decide({
          sessionId,
          at: NOON,
          decide: (view) => {
            const state = { ...view.state, scratchpad: { n: events.length }, version: view.state.version + 1 }
            const after = advanceView(view, events.length, changesRecord ? { activeAgent: 'motivator' } : {})
            return { events, view: { ...after, state } }
          },
        })
      await decide([texts(1)], false)
      await checkSize(store, sessionId, 'the scratchpad')
      await decide([texts(2), texts(3)], true)
      await checkSize(store, sessionId, 'the record')
      await Promise.all(
        upTo(4).flatMap((n) => [
          second.append(appendRequest(sessionId, { events: [texts(n)] })),
          decide([texts(n)], n % 2 === 0),
        ]),
      )
      await checkSize(store, sessionId, 'side by side')
    },
  },
  {
    id: 'S39',
    title: 'gives a fork the bytes of what it copied, of the whole log or a part',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      // long texts too, which a store may keep apart
      await store.append(appendRequest(sessionId, { events: upTo(8).map((n) => texts(n % 2 === 0 ? 10_000 : n)) }))
      for (const sequence of [1, 5, 9]) {
        const fork = await forkSession(store, sessionId, sequence)
        await checkSize(store, fork, `up to ${sequence}`)
        await store.append(appendRequest(fork, { events: [texts(1)] }))
        await checkSize(store, fork, `after ${sequence}`)
      }
      await checkSize(store, sessionId, 'the source')
    },
  },
  {
    id: 'S39',
    title: 'sets the bytes in a repair that names them, and keeps them in one that does not',
    async check(db) {
      const store = await db.connect()
      const sessionId = await createSession(store)
      await store.append(appendRequest(sessionId))
      const before = await store.logSize({ sessionId })
      const view = await store.load({ sessionId })
      assert(view)
      assert.equal(await store.repair({ sessionId }, 2, view, [], []), true)
      assert.deepEqual(await store.logSize({ sessionId }), before)
      assert.equal(await store.repair({ sessionId }, 2, view, [], [], 7), true)
      assert.deepEqual(await store.logSize({ sessionId }), { head: 2, bytes: 7 })
      await store.append(appendRequest(sessionId, { events: [someEvent('four')] }))
      assert.deepEqual(await store.logSize({ sessionId }), { head: 3, bytes: 11 })
    },
  },
  {
    id: 'T1',
    title: 'counts the bytes of every block of an import, and of blocks that continue a session',
    async check(db) {
      const store = await db.connect()
      const steps = [
        ['user_message', { a: 'ä' }],
        ['user_message'],
        ['model_message', { b: '🙂' }],
        ['user_message'],
      ] as const
      const life = foreignSession({}, steps)
      const key = { sessionId: life.sessionId }
      await store.imports.write(blockOf(life, 0, 2))
      assert.deepEqual(await store.storage({ by: 'tenant', limit: 9 }), [], 'unfinished')
      await store.imports.write({ ...blockOf(life, 2, 4), done: true })
      await checkSize(store, life.sessionId, 'done')
      await store.imports.write(blockOf(life, 4, 5))
      await checkSize(store, life.sessionId, 'continued')
      const left = foreignSession({}, steps)
      await store.imports.write(blockOf(left, 0, 2))
      await store.imports.discard({ sessionId: left.sessionId })
      await createSession(store, { id: left.sessionId })
      await checkSize(store, left.sessionId, 'discarded')
      assert.equal((await store.storage({ by: 'tenant', limit: 9 }))[0]?.sessions, 2)
      await store.purge(key, NOON)
      assert.equal((await store.storage({ by: 'tenant', limit: 9 }))[0]?.sessions, 1)
    },
  },
  {
    id: 'S40',
    title: 'sums sessions, events, memories and bytes by tenant and user',
    async check(db) {
      const store = await db.connect()
      const bytes: Record<string, number> = {}
      const write = async (tenant: string, userId: string, n: number) => {
        const sessionId = await createSession(store, { tenant, userId })
        await store.append(appendRequest(sessionId, { events: upTo(n).map(texts) }))
        const owner = `${tenant} ${userId}`
        bytes[owner] = (bytes[owner] ?? 0) + (await store.logSize({ sessionId })).bytes
        return sessionId
      }
      const gone = await write('local', 'ada', 1)
      await write('local', 'ada', 2)
      await write('local', 'bob', 3)
      await write('other', 'ada', 4)
      const memory = someMemory({ tenant: 'local', userId: 'eve', content: 'ä€', metadata: { a: 'é' } })
      await store.memories.change(putRequest([{ memory }], { tenant: 'local', userId: 'eve' }))
      const [ada, bob, other] = ['local ada', 'local bob', 'other ada'].map((owner) => bytes[owner] ?? 0)
      assert(ada && bob && other)
      const eve = Buffer.byteLength('ä€{"a":"é"}')
      const users = [group('ada', 2, 5, ada), group('bob', 1, 4, bob), group('eve', 0, 0, eve, 1)]
      assert.deepEqual(await store.storage({ by: 'user', tenant: 'local', limit: 9 }), users)
      const local = group('local', 3, 9, ada + bob + eve, 1)
      assert.deepEqual(await store.storage({ by: 'tenant', limit: 9 }), [local, group('other', 1, 5, other)])
      assert.deepEqual(await store.storage({ by: 'tenant', tenant: 'local', limit: 1 }), [local])
      assert.deepEqual(await store.storage({ by: 'user', tenant: 'local', userId: 'bob', limit: 1 }), users.slice(1, 2))
      assert.deepEqual(await store.storage({ by: 'user', tenant: 'local', userId: 'eve', limit: 1 }), users.slice(2))
      assert.deepEqual(await store.storage({ by: 'tenant', tenant: 'local', userId: 'bob', limit: 1 }), [
        group('local', 1, 4, bob),
      ])
      assert.deepEqual(await store.storage({ by: 'tenant', tenant: 'nobody', limit: 1 }), [])

      const { bytes: freed } = await store.logSize({ sessionId: gone })
      await store.purge({ sessionId: gone }, NOON)
      await store.memories.change(putRequest([], { userId: 'eve', ids: [memory.id], decide: removing(memory.id) }))
      assert.deepEqual(await store.storage({ by: 'user', tenant: 'local', limit: 9 }), [
        group('ada', 1, 3, ada - freed),
        group('bob', 1, 4, bob),
      ])
    },
  },
  {
    id: 'S40',
    title: 'returns groups by code points, page by page',
    async check(db) {
      const store = await db.connect()
      const names = ['A', 'a', 'ä', '\uffee', '🙂']
      for (const name of names.toReversed()) {
        await createSession(store, { userId: name, tenant: name })
        await createSession(store, { userId: name })
        await store.memories.change(putRequest([{ memory: someMemory({ userId: name }) }], { userId: name }))
      }
      for (const query of [{ by: 'user', tenant: 'local' }, { by: 'tenant' }] as const) {
        const whole = await store.storage({ ...query, limit: 100 })
        const keys = query.by === 'user' ? names : ['A', 'a', 'local', 'ä', '\uffee', '🙂']
        assert.deepEqual(
          whole.map(({ key }) => key),
          keys,
        )
        const paged: StorageGroup[] = []
        for (let after = {}; paged.length < whole.length; after = { after: paged.at(-1)?.key }) {
          const page = await store.storage({ ...query, ...after, limit: 2 } as StorageQuery)
          assert(page.length > 0)
          paged.push(...page)
        }
        assert.deepEqual(paged, whole)
      }
    },
  },
]

const removing = (id: string) => () => ({ puts: [], removals: [id] })
