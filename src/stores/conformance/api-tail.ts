import assert from 'node:assert/strict'
import type { Session } from '../../api.ts'
import type { ApiDatabase, Rule } from './harness.ts'
import { expectError, upTo } from './samples.ts'

const hello = { type: 'user_message', content: 'hello' } as const

/** Tails until `count` events have arrived. */
async function tailSequences(session: Session, count: number, after = 0): Promise<number[]> {
  const sequences: number[] = []
  for await (const event of session.tail({ after })) {
    sequences.push(event.sequence)
    if (sequences.length === count) break
  }
  return sequences
}

/** A8 tails. */
export const tailRules: readonly Rule<ApiDatabase>[] = [
  {
    id: 'A8',
    title: 'replays the log, then follows it, without gaps or repeats',
    async check(db) {
      const [tl, other] = [await db.connect(), await db.connect()]
      const session = await tl.sessions.create({ userId: 'ada' })
      const follower = await other.sessions.get(session.id)
      await session.append(upTo(300).map(() => hello))
      const following = [tailSequences(follower, 801), tailSequences(session, 801), tailSequences(follower, 500, 301)]
      for (const _ of upTo(50)) await session.append(upTo(10).map(() => hello))
      const [all, own, later] = await Promise.all(following)
      assert.deepEqual(all, upTo(801))
      assert.deepEqual(own, upTo(801))
      assert.deepEqual(later, upTo(801).slice(301))
    },
  },
  {
    id: 'A8',
    title: 'loses no event for a slow tail or for one that resumes',
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
    title: 'ends with its signal or the store, but not with the session',
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
    title: 'starts after the given sequence, and rejects an invalid one',
    async check(db) {
      const tl = await db.connect()
      const session = await tl.sessions.create({ userId: 'ada' })
      await session.append([hello, hello])
      assert.deepEqual(await tailSequences(session, 1, 2), [3])
      await expectError('VALIDATION', (async () => await tailSequences(session, 1, -1))())
    },
  },
]
