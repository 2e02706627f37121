import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import { type Databases, databasesOf, SERVING } from '../../../test/servers/database.ts'
import type { Store } from '../../ports/store.ts'
import { finishRequest, folding, soon, startRun, systemEvent } from '../conformance/run-samples.ts'
import { appendRequest, createSession, noonPlus, someEvent } from '../conformance/samples.ts'
import { postgresStore } from './index.ts'

describe.each(inject('postgres'))('on $name', ({ url }) => {
  let databases: Databases
  let store: Store
  let other: Store
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    const database = await databases.recycled()
    store = await postgresStore({ url: database.url(SERVING), migrate: false })
    other = await postgresStore({ url: database.url(SERVING), migrate: false })
    return async () => {
      await store.close()
      await other.close()
      await database.destroy()
    }
  })

  it('appends of a lost run that wait with others to the same session are refused alone', async () => {
    const sessionId = await createSession(store)
    await startRun(store, sessionId, noonPlus(1), noonPlus(2))
    await startRun(store, sessionId, noonPlus(3), noonPlus(9))
    const runs = Array.from({ length: 90 }, (_, n) => [undefined, 1, 2][n % 3])
    const appends = runs.map((run) => store.append(appendRequest(sessionId, run === undefined ? {} : { run })))
    const results = await Promise.allSettled(appends)
    const refused = runs.filter((_, n) => results[n]?.status === 'rejected')
    expect(refused).toEqual(Array(30).fill(1))
    expect((await store.record({ sessionId }))?.head).toBe(63)
  })

  it('a session that needs work after several messages in one call needs it since the first', async () => {
    const sessionId = await createSession(store)
    await startRun(store, sessionId, noonPlus(1), noonPlus(9))
    await store.decide(finishRequest(sessionId, noonPlus(2)))
    const say = (seconds: number, type = 'user_message') =>
      store.append(appendRequest(sessionId, { at: noonPlus(seconds), events: [someEvent('hi', type)] }))
    // the first is sent alone, the others wait for it
    await Promise.all([say(3, 'model_message'), say(4, 'model_message'), say(5), say(6), say(7, 'model_message')])
    const found = await other.claimable({ at: noonPlus(99), tenants: 1, limit: 1 })
    expect(found).toEqual([{ sessionId, tenant: 'local', dueAt: noonPlus(5) }])
  })

  it('a decision that changes the lease has seen every renewal before it', async () => {
    const sessionId = await createSession(store)
    await startRun(store, sessionId, noonPlus(1), noonPlus(10))
    const seen: (string | undefined)[] = []
    const renewed: Promise<boolean>[] = []
    const request = folding(sessionId, noonPlus(2), [() => systemEvent('x.released', {})])
    await store.decide({
      ...request,
      decide(view) {
        seen.push(view.leaseUntil)
        const renewal = { sessionId, generation: 1, at: noonPlus(2), until: noonPlus(20) }
        if (renewed.length === 0) renewed.push(soon(() => store.renew(renewal)))
        return { ...request.decide(view), view: { ...request.decide(view).view, leaseUntil: noonPlus(5) } }
      },
    })
    expect(await Promise.all(renewed)).toEqual([true])
    const { leaseUntil } = (await other.load({ sessionId })) ?? {}
    // the renewal came before the decision was read again, or after it was written
    if (seen.length > 1) expect([seen.at(-1), leaseUntil]).toEqual([noonPlus(20), noonPlus(5)])
    else expect(leaseUntil).toBe(noonPlus(20))
  })
})
