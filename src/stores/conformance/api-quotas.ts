import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { Session, Throughline } from '../../api.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError } from './samples.ts'

const KIB = 1024
const QUOTA = 100 * KIB
const hello = { type: 'user_message', content: 'hello' } as const
const long = { type: 'user_message', content: 'x'.repeat(QUOTA) } as const

/** A session of the user, filled until writes are refused: those during a measurement count a little later. */
async function fill(tl: Throughline, userId: string): Promise<Session> {
  const session = await tl.sessions.create({ userId })
  await session.append(long, { idempotencyKey: 'fill' })
  await untilRefused(() => session.append(hello))
  return session
}

/** Repeats a write until the quota refuses it. */
async function untilRefused(write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await write()
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'QUOTA_EXCEEDED', String(error))
      return
    }
  }
}

/** Repeats a write until the quota allows it: a long measurement is not repeated at once. */
async function untilAccepted<T>(write: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await write()
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'QUOTA_EXCEEDED', String(error))
    }
  }
}

/** A34 storage: quotas of tenants and users, and what they store. */
export const quotaRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A34',
    title: 'refuses writes of a tenant beyond its quota, and of no other',
    async check(db) {
      const tl = await db.connect({ quota: { tenantBytes: QUOTA } })
      const acme = tl.as({ tenant: 'acme' })
      const empty = await acme.sessions.create({ userId: 'bob' })
      const full = await fill(acme, 'ada')
      const { head } = await empty.record()
      const writes = [
        () => empty.append(hello),
        () => empty.addMessage({ role: 'user', content: 'hello' }),
        () => empty.updateState({ a: 1 }),
        () => empty.ask('Which one?'),
        () => full.append(hello),
        () => full.fork(),
        () => acme.sessions.create({ userId: 'carl' }),
        () => acme.as({ tenant: 'acme', userId: 'carl' }).sessions.getOrCreate({ userId: 'carl' }),
        () => acme.memories.remember({ userId: 'ada', category: 'facts', content: 'Ada plays the guitar' }),
      ]
      for (const write of writes) {
        const { details } = await expectError('QUOTA_EXCEEDED', write())
        assert.deepEqual([details.quota, details.limit, Number(details.used) > QUOTA], ['tenant', QUOTA, true])
      }
      assert.equal((await empty.record()).head, head)
      // other tenants, and the operator
      const other = await tl.as({ tenant: 'other' }).sessions.create({ userId: 'ada' })
      await other.append(hello)
      await (await tl.sessions.get(empty.id)).append(hello)
    },
  },
  {
    id: 'A34',
    title: 'lets reads, repeated writes and ends through, beyond a quota',
    async check(db) {
      const tl = await db.connect({ quota: { tenantBytes: QUOTA } })
      const acme = tl.as({ tenant: 'acme' })
      const kept = await acme.sessions.create({ userId: 'bob', conversationId: 'c' })
      const aborted = await acme.sessions.create({ userId: 'bob', conversationId: 'd' })
      const own = { userId: 'eve', id: randomUUID() }
      await acme.sessions.create(own)
      await kept.updateState({ a: 1 }, { idempotencyKey: 'k' })
      const full = await fill(acme, 'ada')
      await expectError('QUOTA_EXCEEDED', kept.append(hello))

      assert.equal((await full.append(long, { idempotencyKey: 'fill' }))[0]?.sequence, 2)
      await kept.updateState({ a: 1 }, { idempotencyKey: 'k' })
      assert.equal((await acme.sessions.create(own)).id, own.id)
      assert.equal((await acme.sessions.getOrCreate({ userId: 'bob', conversationId: 'c' })).id, kept.id)
      assert.equal((await acme.sessions.list()).items.length, 4)
      assert.equal((await kept.messages()).length, 0)
      assert.equal((await kept.state()).scratchpad['a'], 1)
      await kept.end()
      await aborted.abort('no longer needed')
      assert.equal((await kept.record()).status.state, 'complete')
      await expectError('SESSION_ENDED', kept.updateState({ a: 2 }))
    },
  },
  {
    id: 'A34',
    title: 'accepts writes again after a purge, or when memories are forgotten',
    async check(db) {
      const tl = await db.connect({ quota: { tenantBytes: QUOTA } })
      const acme = tl.as({ tenant: 'acme' })
      const session = await acme.sessions.create({ userId: 'bob' })
      for (const purge of [(full: Session) => acme.sessions.purge(full.id), () => acme.users.purge('ada')]) {
        const full = await untilAccepted(() => fill(acme, 'ada'))
        await expectError('QUOTA_EXCEEDED', session.append(hello))
        await purge(full)
        await untilAccepted(() => session.append(hello))
      }
      const memories = Array.from({ length: 8 }, (_, i) => ({
        userId: 'ada',
        category: 'facts' as const,
        content: `${i} `.repeat(8 * KIB - 1),
      }))
      const remembered = await acme.memories.remember(memories)
      await untilRefused(() => session.append(hello))
      await expectError('QUOTA_EXCEEDED', acme.memories.remember({ ...(memories[0] ?? assert.fail()), content: 'new' }))
      for (const { id } of remembered) await acme.memories.forget(id)
      await untilAccepted(() => session.append(hello))
    },
  },
  {
    id: 'A34',
    title: 'refuses writes of a user beyond the quota of users, and of no other user',
    async check(db) {
      const tl = await db.connect({ quota: { userBytes: QUOTA } })
      const [ada, bob] = ['ada', 'bob'].map((userId) => tl.as({ tenant: 'acme', userId }))
      assert(ada && bob)
      const full = await fill(ada, 'ada')
      const { details } = await expectError('QUOTA_EXCEEDED', full.append(hello))
      assert.equal(details.quota, 'user')
      await (await bob.sessions.create({ userId: 'bob' })).append(hello)
      await full.end()
      await ada.sessions.purge(full.id)
      await untilAccepted(() => ada.sessions.create({ userId: 'ada' }))
    },
  },
  {
    id: 'A34',
    title: 'finds out what a tenant stored before the process started',
    async check(db) {
      const acme = (await db.connect()).as({ tenant: 'acme' })
      const full = await acme.sessions.create({ userId: 'ada' })
      await full.append(long)
      const limited = (await db.connect({ quota: { tenantBytes: QUOTA } })).as({ tenant: 'acme' })
      const session = await limited.sessions.get(full.id)
      // the first writes do not wait for the measurement
      await untilRefused(() => session.append(hello))
    },
  },
  {
    id: 'A34',
    title: 'reports what tenants and users store, to each caller what is theirs',
    async check(db) {
      const tl = await db.connect()
      const write = async (tenant: string, userId: string, content: string) => {
        const session = await tl.as({ tenant }).sessions.create({ userId })
        await session.append({ type: 'user_message', content })
      }
      await write('local', 'ada', 'ä')
      await write('local', 'ada', '')
        .then(() => assert.fail())
        .catch(() => {})
      await write('local', 'bob', 'b')
      await write('other', 'ada', 'o')
      await tl.memories.remember({ userId: 'bob', category: 'facts', content: 'Bob plays the guitar' })

      const users = (await tl.storage({ by: 'user' })).items
      const counts = users.map(({ userId, sessions, events, memories }) => [userId, sessions, events, memories])
      assert.deepEqual(counts, [
        ['ada', 2, 3, 0],
        ['bob', 1, 2, 1],
      ])
      const { items } = await tl.storage({ by: 'tenant' })
      assert.deepEqual(
        items.map(({ tenant }) => tenant),
        ['local', 'other'],
      )
      const total = (members: readonly { bytes: number }[]) => members.reduce((sum, { bytes }) => sum + bytes, 0)
      assert.equal(items[0]?.bytes, total(users))
      assert((users[1]?.bytes ?? 0) > 3 * 256)
      assert.deepEqual((await tl.storage({ by: 'tenant', tenant: 'other' })).items, items.slice(1))
      assert.deepEqual((await tl.as({ tenant: 'other' }).storage({ by: 'tenant' })).items, items.slice(1))
      assert.deepEqual((await tl.as({ tenant: 'other' }).storage({ by: 'user', tenant: 'local' })).items, [])
      const bob = tl.as({ tenant: 'local', userId: 'bob' })
      assert.deepEqual((await bob.storage({ by: 'user' })).items, users.slice(1))
      assert.deepEqual((await bob.storage({ by: 'user', userId: 'ada' })).items, [])

      const first = await tl.storage({ by: 'user', limit: 1 })
      assert.deepEqual(first.items, users.slice(0, 1))
      const rest = await tl.storage({ by: 'user', limit: 1, cursor: first.nextCursor ?? '' })
      assert.deepEqual(rest, { items: users.slice(1) })
      assert.equal((await expectError('VALIDATION', tl.storage({ by: 'day' as never }))).details.field, 'by')
      const since = { by: 'user', since: '2026-01-01' } as never
      assert.equal((await expectError('VALIDATION', tl.storage(since))).details.field, 'since')
    },
  },
]
