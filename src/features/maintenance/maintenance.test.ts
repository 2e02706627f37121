import { beforeEach, describe, expect, it } from 'vitest'
import type { UpkeepProgress } from '../../api.ts'
import { StorageError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { evolve, type SessionView } from '../../domain/fold.ts'
import { edgesOf } from '../../domain/graph.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import type { StoredEdge } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { startRun } from '../../stores/conformance/run-samples.ts'
import { appendRequest, createSession, NOON, noonPlus, someEvent } from '../../stores/conformance/samples.ts'
import { memoryStore } from '../../stores/memory/index.ts'

let store: Store
let id: string

beforeEach(async () => {
  store = memoryStore(uuid7)
  id = await createSession(store, { task: 'mend', metadata: { a: 1 } })
  await store.append(appendRequest(id))
})

/** Puts views into the store that the log does not lead to. */
async function damage(change: (view: SessionView) => void): Promise<void> {
  const view = (await store.load({ sessionId: id })) as SessionView
  const { head } = view.record
  change(view)
  expect(await store.repair({ sessionId: id }, head, view, [])).toBe(true)
}

/** Writes a work commit in which a file was written, with its edges, and gives those. */
async function work(path: string): Promise<StoredEdge[]> {
  const parts = { id: path, parents: [], kind: 'step', observations: [{ kind: 'fileWrite', path }], state: 'running' }
  const event = someEvent('', 'work_committed', { role: 'system', parts: JSON.stringify(parts) })
  const [written] = (
    await store.decide({
      sessionId: id,
      at: NOON,
      decide(view) {
        const made = { ...event, sessionId: id, sequence: view.record.head + 1, createdAt: NOON, parts } as SessionEvent
        const edges = edgesOf(made).map((edge) => ({ ...edge, event: 0 }))
        expect(edges).not.toEqual([])
        return { events: [event], view: evolve(view, made), edges }
      },
    })
  ).events
  return (await allEdges()).filter(({ sequence }) => sequence === written?.sequence)
}

const allEdges = (sessionId = id) => store.edges({ sessionId }, { limit: 10_000 })

/** Puts edges into the store that the log does not lead to. */
async function damageEdges(change: (edges: StoredEdge[]) => StoredEdge[]): Promise<void> {
  const view = (await store.load({ sessionId: id })) as SessionView
  expect(await store.repair({ sessionId: id }, view.record.head, view, change(await allEdges()))).toBe(true)
}

describe('the lease of a live run', () => {
  it('is not of the log: verify does not name it, and a rebuild keeps it', async () => {
    const tl = openOn(store)
    await startRun(store, id, NOON, noonPlus(10))
    expect((await tl.verify()).differences).toEqual([])
    await damage((view) => {
      view.clearedAt = 1
    })
    expect((await tl.rebuild()).repaired).toEqual([id])
    expect(await store.load({ sessionId: id })).toMatchObject({ clearedAt: 0, leaseUntil: noonPlus(10) })
  })
})

describe('the size of a log', () => {
  it('is named where it is wrong, and is mended', async () => {
    const tl = openOn(store)
    const { bytes } = await store.logSize({ sessionId: id })
    const view = (await store.load({ sessionId: id })) as SessionView
    await store.repair({ sessionId: id }, view.record.head, view, [], [], bytes + 1)
    const { differences } = await tl.verify()
    expect(differences).toEqual([{ sessionId: id, field: 'bytes', expected: bytes, actual: bytes + 1 }])
    expect((await tl.rebuild()).repaired).toEqual([id])
    expect(await store.logSize({ sessionId: id })).toEqual({ head: view.record.head, bytes })
    expect((await tl.verify()).differences).toEqual([])
  })

  it('is compared with events that are written meanwhile', async () => {
    let late = 3
    const logSize: Store['logSize'] = async (key) => {
      if (late-- > 0) await store.append(appendRequest(id))
      return await store.logSize(key)
    }
    expect((await openOn({ ...store, logSize }).verify()).differences).toEqual([])
    expect(late).toBeLessThan(3)
  })
})

describe('edges', () => {
  it('are named where they are missing, too much, or have other evidence, and are mended', async () => {
    const [kept] = await work('a')
    const [changed] = await work('b')
    const [missing] = await work('c')
    if (kept === undefined || changed === undefined || missing === undefined) throw new Error('no edges')
    expect((await openOn(store).verify()).differences).toEqual([])
    const other = { ...changed, evidence: '{"other":true}' }
    const stray = { ...kept, sequence: 1 }
    await damageEdges(() => [kept, other, stray])
    expect((await openOn(store).verify()).differences).toEqual([
      { sessionId: id, field: 'edges', expected: changed, actual: other },
      { sessionId: id, field: 'edges', expected: missing },
      { sessionId: id, field: 'edges', actual: stray },
    ])
    expect((await openOn(store).rebuild()).repaired).toEqual([id])
    expect(await allEdges()).toEqual([kept, changed, missing])
    expect((await openOn(store).verify()).differences).toEqual([])
  })

  it('of events that come meanwhile are no difference, but those behind a head that stays are', async () => {
    await work('a')
    let late = 1
    const edges: Store['edges'] = async (...given) => {
      if (late-- > 0) await work('b')
      return await store.edges(...given)
    }
    expect((await openOn({ ...store, edges }).verify()).differences).toEqual([])
    const stray = { from: 'x', label: 'l', to: 'y', evidence: '{}', sequence: 99 }
    await damageEdges((stored) => [...stored, stray])
    expect((await openOn(store).verify()).differences).toEqual([{ sessionId: id, field: 'edges', actual: stray }])
  })

  it('of a fork of a fork are those of whoever wrote them', async () => {
    await work('a')
    const source = id
    const tl = openOn(store)
    for (const path of ['b', 'c']) {
      id = (await (await tl.sessions.get(id)).fork()).id
      await work(path)
    }
    expect(await allEdges()).toHaveLength(3 * (await allEdges(source)).length)
    expect((await tl.verify()).differences).toEqual([])
  })

  it('may be more than fit on a page', async () => {
    for (let n = 0; n < 600; n++) await work(`f${n}`)
    expect((await openOn(store).verify()).differences).toEqual([])
    await damageEdges((stored) => stored.slice(0, -1))
    expect((await openOn(store).verify()).differences).toHaveLength(1)
  })
})

describe('verify', () => {
  it('names what is missing, what is too much and what is other, by its path', async () => {
    await damage(({ record }) => {
      delete record.task
      record.skill = 'sql'
      record.metadata = { a: [1] }
    })
    expect((await openOn(store).verify()).differences).toEqual([
      { sessionId: id, field: 'record.metadata.a', expected: 1, actual: [1] },
      { sessionId: id, field: 'record.task', expected: 'mend' },
      { sessionId: id, field: 'record.skill', actual: 'sql' },
    ])
  })

  it('finds events behind a head that does not move', async () => {
    await damage(({ record }) => {
      record.head = 1
    })
    const { differences, events } = await openOn(store).verify()
    expect(differences).toEqual([{ sessionId: id, field: 'record.head', expected: 2, actual: 1 }])
    expect(events).toBe(2)
  })

  it('takes the id of one session in any case of letters', async () => {
    await createSession(store)
    expect(await openOn(store).verify(id.toUpperCase())).toEqual({ sessions: 1, events: 2, differences: [] })
    await expect(openOn(store).verify('no id')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('tells how far it is, up to the end', async () => {
    await createSession(store, { id: 'ffffffff-ffff-7fff-bfff-ffffffffffff' })
    const told: UpkeepProgress[] = []
    const options = { onProgress: (progress: UpkeepProgress) => void told.push(progress) }
    await openOn(store).verify(undefined, options)
    const of = { sessions: 2, events: 3 }
    // both at once: each tells of its events, and of its end
    expect(told).toHaveLength(4)
    const grows = (field: 'sessions' | 'events') => told.map((progress) => progress[field])
    for (const counts of [grows('sessions'), grows('events')]) expect(counts).toEqual(counts.toSorted((a, b) => a - b))
    expect(told.map((progress) => progress.of)).toEqual([of, of, of, of])
    expect(told.at(-1)).toEqual({ ...of, of })
    told.length = 0
    await openOn(store).verify(id, options)
    expect(told.at(-1)).toEqual({ sessions: 1, events: 2, of: { sessions: 1, events: 2 } })
  })

  it('goes through more sessions and events than fit on a page', async () => {
    for (let n = 0; n < 600; n++) await createSession(store)
    for (let n = 0; n < 600; n++) await store.append(appendRequest(id))
    expect(await openOn(store).verify()).toEqual({ sessions: 601, events: 1202, differences: [] })
  })

  it('passes over a session that is removed meanwhile, and over nothing else', async () => {
    const sessionIds = async ({ after }: { after?: string }) => (after === undefined ? [id, uuid7()] : [])
    expect((await openOn({ ...store, sessionIds }).verify()).sessions).toBe(1)
    const read = () => Promise.reject(new StorageError('memory', 'the disk is on fire'))
    await expect(openOn({ ...store, read }).verify()).rejects.toThrow('the disk is on fire')
  })
})

describe('rebuild', () => {
  it('looks again when the session moved on meanwhile', async () => {
    await damage(({ record }) => {
      record.turns = 77
    })
    let late = 1
    const repair: Store['repair'] = async (...given) => {
      if (late-- > 0) await store.append(appendRequest(id))
      return await store.repair(...given)
    }
    expect((await openOn({ ...store, repair }).rebuild()).repaired).toEqual([id])
    expect((await store.load({ sessionId: id }))?.record).toMatchObject({ head: 3, turns: 2 })
  })
})
