import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest'
import type { DecideRequest } from '../../src/ports/session-store.ts'
import type { Store } from '../../src/ports/store.ts'
import {
  advanceView,
  appendRequest,
  createSession,
  expectError,
  NOON,
  putRequest,
  readLog,
  someEvent,
  someMemory,
  upTo,
} from '../../src/stores/conformance/samples.ts'
import { postgresStore } from '../../src/stores/postgres/index.ts'
import { amount, firstInShortRun, printFigure } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../servers/database.ts'

const CHILD = new URL('./decider-child.ts', import.meta.url)

describe.each(firstInShortRun(inject('postgres')))('decisions on $name', ({ url }) => {
  let databases: Databases
  let database: TestDatabase
  let stores: Store[]
  const connect = async (search = '') => {
    const store = await postgresStore({ url: `${database.url(SERVING)}${search}`, migrate: false })
    stores.push(store)
    return store
  }
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())
  beforeEach(async () => {
    database = await databases.recycled()
    stores = []
    return async () => {
      await Promise.all(stores.map((store) => store.close()))
      await database.destroy()
    }
  })

  const deciding = (sessionId: string): DecideRequest => ({
    sessionId,
    at: NOON,
    decide: (view) => ({ events: [someEvent('decided')], view: advanceView(view, 1) }),
  })
  const ending = (sessionId: string, onDecide: () => void): DecideRequest => ({
    sessionId,
    at: NOON,
    decide(view) {
      onDecide()
      return {
        events: [someEvent('over', 'status_changed')],
        view: advanceView(view, 1, { endedAt: NOON, status: { state: 'complete' } }),
      }
    },
  })
  /** Locks all sessions, and holds appends back, like a decision that died. */
  const lockFor = (ms: number) =>
    database.admin(`
      update context.sessions
      set lock_token = gen_random_uuid(), locked_until = now() + interval '${ms} ms',
        appends_wait_until = now() + interval '${ms} ms'`)
  const locks = () => database.admin('select lock_token, locked_until from context.sessions')

  it('a decider that is killed while it holds the lock delays the others by two seconds at most', async () => {
    const store = await connect()
    const sessionId = await createSession(store)
    const waits: number[] = []
    for (const _ of upTo(amount(2, 20))) {
      const child = startChild(CHILD, { url: database.url(SERVING), sessionId })
      await child.printed(1)
      let isKilled = false
      const killed = child.done.then(() => {
        isKilled = true
      })
      // keeps deciding, so that the child meets a conflict and takes the lock; one of these decisions waits for its end
      while (!isKilled) {
        const before = performance.now()
        await store.decide(deciding(sessionId))
        waits.push(performance.now() - before)
      }
      await killed
      expect(await locks()).toEqual([{ lock_token: null, locked_until: null }])
    }
    const longest = Math.max(...waits)
    printFigure(
      `deciders killed under their lock: of ${waits.length} decisions beside them the longest took ${Math.round(longest)} ms`,
    )
    // the lock ends after two seconds by the clock of the database; the rest is for a busy machine
    expect(longest).toBeGreaterThan(1000)
    expect(longest).toBeLessThan(10_000)
    const log = await readLog(store, sessionId)
    expect(log.map(({ sequence }) => sequence)).toEqual(upTo(log.length))
  })

  it('an end does not starve while others append all the time', async () => {
    const [ender, ...writers] = await Promise.all(upTo(3).map(() => connect()))
    const sessionId = await createSession(ender as Store)
    let acknowledged = 0
    const appending = writers.flatMap((store) =>
      upTo(8).map(async () => {
        for (;;) {
          await store.append(appendRequest(sessionId))
          acknowledged++
        }
      }),
    )
    const stopped = Promise.allSettled(appending)
    await expect.poll(() => acknowledged).toBeGreaterThan(50)
    let decisions = 0
    await ender?.decide(ending(sessionId, () => decisions++))
    // each append in between makes the end stale; from the third conflict on appends wait
    expect(decisions).toBeLessThanOrEqual(10)
    for (const result of await stopped) expect(result).toMatchObject({ reason: { code: 'SESSION_ENDED' } })
    const log = await readLog(ender as Store, sessionId)
    expect(log).toHaveLength(acknowledged + 2)
    expect(log.at(-1)?.type).toBe('status_changed')
    expect(await database.admin('select appends_wait_until from context.sessions')).toEqual([
      { appends_wait_until: null },
    ])
  })

  it('appends wait for a decision that holds them back, and go on if it dies', async () => {
    const store = await connect()
    const sessionId = await createSession(store)
    await lockFor(300)
    const results = await Promise.all(upTo(20).map(() => store.append(appendRequest(sessionId))))
    expect(results.map(({ events: [event] }) => event?.sequence).sort((a, b) => Number(a) - Number(b))).toEqual(
      upTo(20).map((n) => n + 1),
    )
    expect(await database.admin('select appends_wait_until from context.sessions')).toEqual([
      { appends_wait_until: null },
    ])
  })

  it('every call needs one connection only', async () => {
    const store = await connect('?pool=1')
    const others = await Promise.all(upTo(3).map(() => connect('?pool=1')))
    const sessionId = await createSession(store)
    const all = [store, ...others].flatMap((each) =>
      upTo(10).flatMap((n): Promise<unknown>[] => [
        each.decide(deciding(sessionId)),
        each.append(appendRequest(sessionId)),
        each.memories.change(putRequest([{ memory: someMemory({ content: `fact ${n}` }) }])),
        each.read({ sessionId }, { order: 'asc', limit: 9 }),
      ]),
    )
    await Promise.all(all)
    expect(await readLog(store, sessionId)).toHaveLength(81)
    await expectError('SESSION_NOT_FOUND', store.decide(deciding(crypto.randomUUID())))
  })

  it('a decider that refuses or writes nothing under the lock gives it back', async () => {
    const store = await connect()
    const sessionId = await createSession(store)
    const decisions: DecideRequest['decide'][] = [
      () => {
        throw new RangeError('no')
      },
      (view) => ({ events: [], view }),
    ]
    for (const second of decisions) {
      await lockFor(300)
      let calls = 0
      const decide: DecideRequest['decide'] = (view) => {
        if (++calls > 1) return second(view)
        return { events: [someEvent('refused while locked')], view: advanceView(view, 1) }
      }
      await Promise.allSettled([store.decide({ sessionId, at: NOON, decide })])
      expect(calls).toBe(2)
      expect(await locks()).toEqual([{ lock_token: null, locked_until: null }])
    }
    expect(await readLog(store, sessionId)).toHaveLength(1)
  })
})
