import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { firstInShortRun } from '../../../test/proof.ts'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../../../test/servers/database.ts'
import { partitionInId, partitionOf, sessionIdFor } from '../../domain/partition.ts'
import { PARTITION_VECTORS } from '../../domain/partition-vectors.ts'
import type { Store } from '../../ports/store.ts'
import { appendRequest, createRequest, createSession, NOON, readLog } from '../conformance/samples.ts'
import { type Connections, connect } from './connection.ts'
import { postgresStore } from './index.ts'
import { minuteOf } from './times.ts'

const ADA = { tenant: 'local', userId: 'ada' }

/** An id that points to another partition than that of the user. */
const strayId = () => sessionIdFor({ tenant: 'local', userId: 'somebody else' }, crypto.randomUUID())

describe.each(firstInShortRun(inject('postgres')))('on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  let store: Store
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    database = await databases.recycled()
    store = await postgresStore({ url: database.url(SERVING), migrate: false })
    return async () => {
      await store.close()
      await database.destroy()
    }
  })

  const directory = () => database.admin('select id, partition, home from context.session_directory')

  describe('the hash in SQL', () => {
    let connections: Connections
    beforeAll(async () => {
      connections = await connect((await databases.recycled()).url())
      return () => connections.close()
    })

    const partition = async (tenant: string, userId: string) => {
      const text = 'select context.partition_of($1, $2) as partition'
      const [row] = await connections.query<{ partition: number }>({ name: 'hash', text }, [tenant, userId], {
        retry: true,
      })
      return row?.partition
    }

    it.each(PARTITION_VECTORS)('puts user %j %j into partition %i', async (tenant, userId, expected) => {
      expect(await partition(tenant, userId)).toBe(expected)
    })

    it('equals that in TypeScript, and so does the minute of a time', async () => {
      const text = fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed() && !value.includes('\0'))
      const time = fc.date({ min: new Date('1900-01-01'), max: new Date('2300-01-01'), noInvalidDate: true })
      await fc.assert(
        fc.asyncProperty(text, text, time, async (tenant, userId, date) => {
          expect(await partition(tenant, userId)).toBe(partitionOf(tenant, userId))
          const at = date.toISOString()
          const statement = { name: 'minute', text: 'select context.minute_of($1) as minute' }
          const [row] = await connections.query<{ minute: number }>(statement, [at], { retry: true })
          expect(row?.minute).toBe(minuteOf(at))
        }),
        { numRuns: 200 },
      )
    })
  })

  it('a session whose id was made for it needs no entry in the directory', async () => {
    const id = sessionIdFor(ADA, crypto.randomUUID())
    await store.create({ ...createRequest({ id, ...ADA }), isNewId: true })
    expect(await directory()).toEqual([])
    expect((await store.record({ sessionId: id }))?.id).toBe(id)
  })

  it('a session with a chosen id is found by every kind of caller, and by its owner without the directory', async () => {
    const id = strayId()
    await createSession(store, { id, ...ADA })
    expect(await directory()).toEqual([{ id, partition: partitionInId(id), home: partitionOf('local', 'ada') }])
    const other = await postgresStore({ url: database.url(SERVING), migrate: false })
    await other.append(appendRequest(id))
    expect(await readLog(other, id)).toHaveLength(2)
    expect((await other.record({ sessionId: id, within: { tenant: 'local' } }))?.head).toBe(2)
    await other.close()
    await database.admin('delete from context.session_directory')
    expect((await store.record({ sessionId: id, within: ADA }))?.head).toBe(2)
  })

  it('a purge frees a chosen id for another owner at once, and a cached place is looked up again', async () => {
    const id = strayId()
    await createSession(store, { id, ...ADA })
    expect((await store.record({ sessionId: id }))?.userId).toBe('ada')
    await store.purge({ sessionId: id }, NOON)
    expect(await directory()).toEqual([])
    await createSession(store, { id, tenant: 'local', userId: 'bob' })
    expect((await store.record({ sessionId: id }))?.userId).toBe('bob')
    await store.append(appendRequest(id))
    const elsewhere = await postgresStore({ url: database.url(SERVING), migrate: false })
    await elsewhere.purge({ sessionId: id }, NOON)
    await createSession(elsewhere, { id, tenant: 'local', userId: 'eve' })
    await elsewhere.close()
    expect((await store.record({ sessionId: id }))?.userId).toBe('eve')
    await store.append(appendRequest(id))
  })

  it('one of many owners gets an id that all of them chose', async () => {
    const id = strayId()
    const users = Array.from({ length: 20 }, (_, n) => `u${n}`)
    const results = await Promise.allSettled(
      users.map((userId) => store.create(createRequest({ id, tenant: 'local', userId }))),
    )
    const outcomes = results.map((result) =>
      result.status === 'fulfilled' ? result.value.outcome : result.reason.code,
    )
    expect(outcomes.filter((outcome) => outcome === 'created')).toHaveLength(1)
    for (const outcome of outcomes) expect(['created', 'same-id', 'IDEMPOTENCY_MISMATCH']).toContain(outcome)
    expect(await database.admin('select id from context.sessions')).toEqual([{ id }])
  })

  it('an entry without a session is taken over after a minute', async () => {
    const id = strayId()
    const claimed = (age: string) => `
      delete from context.session_directory;
      insert into context.session_directory
      values (${partitionInId(id)}, '${id}', ${partitionOf('local', 'ada')}, now() - interval '${age}')`
    await database.admin(claimed('50 seconds'))
    const request = createRequest({ id, tenant: 'local', userId: 'bob' })
    await expect(store.create(request)).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' })
    await database.admin(claimed('70 seconds'))
    expect((await store.create(request)).outcome).toBe('created')
    expect((await store.record({ sessionId: id }))?.userId).toBe('bob')
  })

  it('a create that makes no session leaves no entry', async () => {
    const sessionId = await createSession(store, { conversationId: 'c' })
    await database.admin('delete from context.session_directory')
    const blocked = await store.create(createRequest({ id: strayId(), conversationId: 'c' }))
    expect(blocked).toMatchObject({ outcome: 'blocked', record: { id: sessionId } })
    await store.pause(NOON)
    await expect(store.create(createRequest({ id: strayId() }))).rejects.toMatchObject({ code: 'INTAKE_PAUSED' })
    expect(await directory()).toEqual([])
  })
})
