import assert from 'node:assert/strict'
import type { ApiDatabase, Rule } from './harness.ts'
import { startWorker } from './processes.ts'
import { upTo } from './samples.ts'

const hello = { type: 'user_message', content: 'hello' } as const

/** A9 several processes on one store. */
export const processRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A9',
    title: 'gives dense sequences to appends from four processes',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const job = { do: 'append', sessionId: session.id, count: 50 } as const
      const workers = upTo(4).map((n) => startWorker(db.target, { ...job, label: `p${n}` }))
      const taken = (await Promise.all(workers.map(({ done }) => done))).flat(2) as number[]
      assert.deepEqual(
        taken.sort((a, b) => a - b),
        upTo(201).slice(1),
      )
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A9',
    title: 'writes once per key for two processes that send everything twice',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const job = { do: 'append', sessionId: session.id, count: 40, label: 'same', times: 2 } as const
      const workers = upTo(2).map(() => startWorker(db.target, job))
      const [one, two] = await Promise.all(workers.map(({ done }) => done))
      assert.deepEqual(one, two)
      for (const [first, again] of one as number[][]) assert.equal(first, again)
      const contents = (await session.events({ after: 1 })).map((event) => event.content)
      assert.deepEqual([contents.length, new Set(contents).size], [40, 40])
    },
  },
  {
    id: 'A9',
    title: 'sums the usage that four processes append, each twice with one key',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const usage = { model: 'm', inputTokens: 3, outputTokens: 2, cacheReadTokens: 1, costUsd: 0.1 }
      const job = { do: 'append', sessionId: session.id, count: 25, times: 2, usage } as const
      const workers = upTo(4).map((n) => startWorker(db.target, { ...job, label: `p${n}` }))
      for (const _ of upTo(10)) await session.append(hello)
      await Promise.all(workers.map(({ done }) => done))
      const sums = { messages: 100, inputTokens: 300, outputTokens: 200, cacheReadTokens: 100, cacheWriteTokens: 0 }
      assert.deepEqual((await session.record()).usage?.total, { ...sums, costUsd: 10 })
      const { items } = await tl.usage({ by: 'model' })
      assert.deepEqual(items, [{ model: 'm', ...sums, costUsd: 10 }])
      assert.deepEqual((await tl.verify()).differences, [])
    },
  },
  {
    id: 'A9',
    title: 'returns one session to 100 getOrCreate calls from four processes',
    async check(db) {
      const tl = await db.connect()
      const workers = upTo(4).map(() => startWorker(db.target, { do: 'get-or-create', userId: 'ada', count: 25 }))
      const ids = (await Promise.all(workers.map(({ done }) => done))).flat()
      assert.deepEqual([ids.length, new Set(ids).size], [100, 1])
      assert.equal((await tl.sessions.list()).items.length, 1)
    },
  },
  {
    id: 'A9',
    title: 'tails from other processes, from the start and from the middle of a burst',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const job = { do: 'tail', sessionId: session.id, until: 401 } as const
      const early = startWorker(db.target, { ...job, after: 0 })
      await early.printed(1)
      for (const _ of upTo(20)) await session.append(upTo(10).map(() => hello))
      const late = startWorker(db.target, { ...job, after: 100 })
      for (const _ of upTo(200)) await session.append(hello)
      assert.deepEqual(await early.done, upTo(401))
      assert.deepEqual(await late.done, upTo(401).slice(100))
    },
  },
  {
    id: 'A9',
    title: 'a slow tail that crashes and resumes misses no event',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const job = { do: 'tail', sessionId: session.id, until: 301, slow: true } as const
      const seen: unknown[] = []
      let follower = startWorker(db.target, { ...job, after: 0 })
      const follow = async () => {
        for (const stop of [20, 90]) {
          await follower.printed(stop)
          await follower.kill()
          seen.push(...follower.lines)
          follower = startWorker(db.target, { ...job, after: Number(seen.at(-1)) })
        }
        seen.push(...(await follower.done))
      }
      const following = follow()
      for (const _ of upTo(100)) await session.append([hello, hello, hello])
      await following
      assert.deepEqual(seen, upTo(301))
    },
  },
]
