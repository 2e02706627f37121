import { afterEach, beforeEach, expect, it } from 'vitest'
import { StorageError, ValidationError } from '../../domain/errors.ts'
import { type Opened, openDeps } from '../../open/open.ts'
import type { DecideRequest } from '../../ports/session-store.ts'
import { endSteps, foreignSession, importSession } from '../../stores/conformance/import-samples.ts'
import { type FixedClock, fixedClock, upTo } from '../../stores/conformance/samples.ts'
import { throughlineOn } from '../../throughline.ts'
import type { Deps } from '../kernel/deps.ts'
import { sweepSessions } from './sweep.ts'

const WEEK = 7 * 86_400_000

let opened: Opened
let clock: FixedClock

beforeEach(async () => {
  clock = fixedClock()
  opened = await openDeps({ url: 'memory:', index: false, clock })
})

afterEach(() => opened.close())

/** So many sessions that nobody came back to, those that waited longest first. */
async function stale(count: number): Promise<string[]> {
  const tl = throughlineOn(opened.deps, async () => {})
  const ids: string[] = []
  for (const n of upTo(count)) {
    ids.push((await tl.sessions.create({ userId: `user ${n}` })).id)
    clock.advance(60_000)
  }
  clock.advance(WEEK)
  return ids
}

/** The store, which fails to write to some sessions. */
function failing(ids: readonly string[], error: () => Error): Deps {
  const { store } = opened.deps
  const decide = async (request: DecideRequest) => {
    if (ids.includes(request.sessionId)) throw error()
    return await store.decide(request)
  }
  return { ...opened.deps, store: { ...store, decide } }
}

const overflow = () => new StorageError('memory', 'a number is out of range')

it('passes by what cannot be closed, however many there are', async () => {
  const ids = await stale(350)
  const [bad, good] = [ids.slice(0, 320), ids.slice(320)]
  const progress: unknown[] = []
  const deps = failing(bad, () => new ValidationError('status', 'is none'))
  const report = await sweepSessions(deps, { onProgress: (done) => progress.push(done) })
  expect(report).toEqual({ swept: good.length, compacted: good.length, failed: bad.length, forgotten: 0 })
  expect(progress.at(-1)).toEqual({ sessions: 350, of: 350 })
  // and comes to them again
  expect(await sweepSessions(opened.deps)).toMatchObject({ swept: bad.length, failed: 0 })
})

it('is not stopped by what the store refuses of single sessions', async () => {
  const ids = await stale(4)
  expect(await sweepSessions(failing(ids.slice(0, 2), overflow))).toMatchObject({ swept: 2, failed: 2 })
})

it('stops where the store itself is gone', async () => {
  const ids = await stale(4)
  const deps = failing(ids, overflow)
  let tried = 0
  const decide = async (request: DecideRequest) => {
    tried++
    await deps.store.close()
    return await deps.store.decide(request)
  }
  await expect(sweepSessions({ ...deps, store: { ...deps.store, decide } })).rejects.toMatchObject({ code: 'STORAGE' })
  expect(tried).toBe(1)
})

it('comes to an end with what was written by no call of ours', async () => {
  const { store } = opened.deps
  const again = endSteps(1).slice(0, 1)
  await importSession(store, foreignSession({ userId: 'bob' }, [...endSteps(1), ...again]))
  await importSession(store, foreignSession({ userId: 'eve' }, endSteps(1).slice(1)))
  const [id] = await stale(1)
  expect(await sweepSessions(opened.deps)).toMatchObject({ swept: 2, failed: 0 })
  expect((await store.load({ sessionId: id ?? '' }))?.record.status.state).toBe('aborted')
})

it('ends only the sessions it is given, and of those only what is due', async () => {
  const [first = '', second = ''] = await stale(2)
  const fresh = (await throughlineOn(opened.deps, async () => {}).sessions.create({ userId: 'eve' })).id
  const progress: unknown[] = []
  const sessionIds = [fresh, second, crypto.randomUUID()]
  const options = { sessionIds, onProgress: (done: unknown) => progress.push(done) }
  expect(await sweepSessions(opened.deps, options)).toEqual({ swept: 1, compacted: 1, failed: 0, forgotten: 0 })
  expect(progress).toEqual([1, 2, 3].map((sessions) => ({ sessions, of: 3 })))
  expect(await sweepSessions(opened.deps, { sessionIds })).toMatchObject({ swept: 0, compacted: 0 })
  const ends = await Promise.all([first, second, fresh].map((sessionId) => opened.deps.store.record({ sessionId })))
  expect(ends.map((record) => record?.status.state)).toEqual(['running', 'aborted', 'running'])
  await expect(sweepSessions(opened.deps, { sessionIds: ['x'] })).rejects.toMatchObject({ code: 'VALIDATION' })
})

it('goes on with the others of its list where one fails', async () => {
  const ids = await stale(3)
  const report = await sweepSessions(failing(ids.slice(0, 1), overflow), { sessionIds: ids })
  expect(report).toMatchObject({ swept: 2, failed: 1 })
})
