import assert from 'node:assert/strict'
import type { Throughline } from '../../api.ts'
import { uuid7 } from '../../ids.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, fixedClock, NOON, upTo } from './samples.ts'

const hello = { type: 'user_message', content: 'hello' } as const

/** Every call that takes a session id. */
const BY_ID: readonly [name: string, call: (tl: Throughline, id: string) => Promise<unknown>][] = [
  ['sessions.get', (tl, id) => tl.sessions.get(id)],
  ['sessions.purge', (tl, id) => tl.sessions.purge(id)],
  ['verify', (tl, id) => tl.verify(id)],
  ['rebuild', (tl, id) => tl.rebuild(id)],
]

/** A10 owners, A11 purge. */
export const apiOwnerRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A10',
    title: 'shows a user nothing that belongs to others',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ tenant: 'acme', userId: 'ada', conversationId: 'c' })
      await session.append(hello)
      for (const principal of [
        { tenant: 'acme', userId: 'bob' },
        { tenant: 'other', userId: 'ada' },
        { tenant: 'other' },
      ]) {
        const other = tl.as(principal)
        for (const [name, call] of BY_ID) {
          await expectError('SESSION_NOT_FOUND', call(other, session.id)).catch((error) =>
            assert.fail(`${name}: ${error}`),
          )
        }
        const scope = { tenant: 'acme', userId: 'ada' }
        assert.deepEqual(await other.sessions.list(), { items: [] })
        assert.deepEqual(await other.sessions.list(scope), { items: [] })
        assert.equal(await other.sessions.active(scope), undefined)
        await expectError('VALIDATION', other.sessions.create(scope))
        await expectError('VALIDATION', other.sessions.getOrCreate(scope))
        await expectError('VALIDATION', other.users.purge('ada', { tenant: 'acme' }))
        const own = { userId: principal.userId ?? 'carl' }
        await expectError('IDEMPOTENCY_MISMATCH', other.sessions.create({ ...own, id: session.id }))
        assert.equal((await other.verify()).sessions, 0)
        assert.equal((await other.rebuild()).sessions, 0)
      }
      assert.equal((await session.record()).head, 2)
    },
  },
  {
    id: 'A10',
    title: 'gives a user the whole API over their own data, with their tenant as the default',
    async check(db) {
      const tl = await db.connect()
      const mine = tl.as({ tenant: 'acme', userId: 'ada' })
      const session = await mine.sessions.getOrCreate({ userId: 'ada', task: 't' })
      assert.equal((await session.record()).tenant, 'acme')
      await session.append(hello, { idempotencyKey: 'k' })
      assert.equal((await mine.sessions.active({ userId: 'ada' }))?.id, session.id)
      const same = await mine.sessions.get(session.id)
      assert.equal((await same.events()).length, 2)
      assert.equal((await same.recent()).events.length, 1)
      for await (const event of same.tail({ after: 1 })) {
        assert.equal(event.sequence, 2)
        break
      }
      const fork = await same.fork({ at: 2 })
      const { tenant, userId } = await fork.record()
      assert.deepEqual([tenant, userId], ['acme', 'ada'])
      await same.clear()
      await same.end()
      await tl.sessions.create({ tenant: 'acme', userId: 'bob' })
      assert.equal((await mine.sessions.list()).items.length, 2)
      assert.equal((await mine.verify()).sessions, 2)
      const everyone = tl.as({ tenant: 'acme' })
      assert.equal((await everyone.sessions.list()).items.length, 3)
      assert.equal((await everyone.as({ tenant: 'acme', userId: 'bob' }).sessions.list()).items.length, 1)
      assert.equal((await tl.sessions.get(session.id)).id, session.id)

      await mine.close()
      assert.equal((await mine.sessions.list()).items.length, 2)
      for (const wider of [{ tenant: 'other', userId: 'ada' }, { tenant: 'acme', userId: 'bob' }, { tenant: 'acme' }]) {
        assert.throws(() => mine.as(wider), { code: 'VALIDATION' })
      }
      assert.throws(() => tl.as({ tenant: '' }), { code: 'VALIDATION', field: 'tenant' })
    },
  },
  {
    id: 'A11',
    title: 'purges a session, returns a receipt, and ends its tails',
    async check(db) {
      const tl = await db.connect({ clock: fixedClock() })
      const session = await tl.sessions.create({ userId: 'ada' })
      const fork = await session.fork()
      await session.append([hello, hello], { idempotencyKey: 'k' })
      const following = (async () => {
        for await (const _ of session.tail({ after: 3 })) assert.fail('nothing more was written')
      })()
      const followed = expectError('SESSION_NOT_FOUND', following)
      const receipt = await tl.sessions.purge(session.id)
      assert.deepEqual(receipt, { sessions: 1, events: 3, keys: 1, memories: 0, purgedAt: NOON })
      await followed
      await expectError('SESSION_NOT_FOUND', session.record())
      await expectError('SESSION_NOT_FOUND', session.append(hello))
      await expectError('SESSION_NOT_FOUND', session.events())
      await expectError('SESSION_NOT_FOUND', tl.sessions.purge(session.id))
      await expectError('SESSION_NOT_FOUND', tl.sessions.purge(uuid7()))
      assert.equal((await fork.events()).length, 2)
    },
  },
  {
    id: 'A11',
    title: 'purges a user completely in one tenant while others write',
    async check(db) {
      const tl = await db.connect()
      const sessions = await Promise.all(upTo(12).map(() => tl.sessions.create({ userId: 'ada' })))
      const kept = [
        await tl.sessions.create({ userId: 'bob' }),
        await tl.sessions.create({ userId: 'ada', tenant: 'acme' }),
      ]
      await Promise.all([...sessions, ...kept].map((session) => session.append([hello, hello])))
      const writing = upTo(20).map((n) => sessions[n % 12]?.append(hello))
      const purging = tl.users.purge('ada')
      const written = (await Promise.allSettled(writing)).filter(({ status }) => status === 'fulfilled').length
      const receipt = await purging
      assert.deepEqual([receipt.sessions, receipt.events], [12, 36 + written])
      assert.deepEqual((await tl.sessions.list({ userId: 'ada' })).items, [])
      for (const session of kept) assert.equal((await session.record()).head, 3)
      const nothing = await tl.users.purge('ada')
      assert.deepEqual([nothing.sessions, nothing.events, nothing.keys], [0, 0, 0])
      assert.equal((await tl.as({ tenant: 'acme', userId: 'ada' }).users.purge('ada')).sessions, 1)
      await expectError('VALIDATION', tl.users.purge(''))
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
]
