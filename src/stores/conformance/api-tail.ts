import assert from 'node:assert/strict'
import type { Session } from '../../api.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { refused, upTo } from './samples.ts'

const hello = { type: 'user_message', content: 'hello' } as const

/** Follows until `count` events have come. */
async function take(session: Session, count: number, after = 0): Promise<number[]> {
  const sequences: number[] = []
  for await (const event of session.tail({ after })) {
    sequences.push(event.sequence)
    if (sequences.length === count) break
  }
  return sequences
}

/** A8 following a log. */
export const tailRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A8',
    title: 'replays what is there, then follows, with no gap and no repeat',
    async check(db) {
      const [tl, other] = [await db.connect(), await db.connect()]
      const session = await tl.sessions.create({ userId: 'ada' })
      const follower = await other.sessions.get(session.id)
      await session.append(upTo(300).map(() => hello))
      const following = [take(follower, 801), take(session, 801), take(follower, 500, 301)]
      for (const _ of upTo(50)) await session.append(upTo(10).map(() => hello))
      const [all, own, later] = await Promise.all(following)
      assert.deepEqual(all, upTo(801))
      assert.deepEqual(own, upTo(801))
      assert.deepEqual(later, upTo(801).slice(301))
    },
  },
  {
    id: 'A8',
    title: 'loses nothing for a slow follower, nor for one that comes back where it left',
    async check(db) {
      const [tl, other] = [await db.connect(), await db.connect()]
      const session = await tl.sessions.create({ userId: 'ada' })
      const follower = await other.sessions.get(session.id)
      const writing = (async () => {
        for (const _ of upTo(100)) await session.append([hello, hello])
      })()
      const seen: number[] = []
      while (seen.length < 201) {
        for await (const event of follower.tail({ after: seen.at(-1) ?? 0 })) {
          seen.push(event.sequence)
          await new Promise((resolve) => setImmediate(resolve))
          if (seen.length % 17 === 0 || seen.length === 201) break
        }
      }
      assert.deepEqual(seen, upTo(201))
      await writing
    },
  },
  {
    id: 'A8',
    title: 'ends with its signal, with the store, and not with the session',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      const stop = new AbortController()
      const seen: number[] = []
      const following = (async () => {
        for await (const event of session.tail({ signal: stop.signal })) seen.push(event.sequence)
      })()
      await session.end()
      while (seen.length < 2) await new Promise((resolve) => setImmediate(resolve))
      stop.abort()
      await following
      for await (const _ of session.tail({ signal: AbortSignal.abort() })) assert.fail('it had ended before it began')

      const untilClose = (async () => {
        for await (const event of session.tail()) seen.push(event.sequence)
      })()
      while (seen.length < 4) await new Promise((resolve) => setImmediate(resolve))
      await tl.close()
      await untilClose
      assert.deepEqual(seen, [1, 2, 1, 2])
    },
  },
  {
    id: 'A8',
    title: 'starts behind the sequence stated, and refuses one that is none',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append([hello, hello])
      assert.deepEqual(await take(session, 1, 2), [3])
      await refused('VALIDATION', (async () => await take(session, 1, -1))())
    },
  },
]
