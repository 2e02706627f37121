import { beforeEach, describe, expect, it } from 'vitest'
import type { UpkeepProgress } from '../../api.ts'
import { StorageError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open.ts'
import type { SessionStore } from '../../ports/session-store.ts'
import { appending, createdIn } from '../../stores/conformance/samples.ts'
import { memoryStore } from '../../stores/memory/index.ts'

let store: SessionStore
let id: string

beforeEach(async () => {
  store = memoryStore(uuid7)
  id = await createdIn(store, { task: 'mend', metadata: { a: 1 } })
  await store.append(appending(id))
})

/** Puts views into the store that the log does not lead to. */
async function damage(change: (view: SessionView) => void): Promise<void> {
  const view = (await store.load({ sessionId: id })) as SessionView
  const { head } = view.record
  change(view)
  expect(await store.repair({ sessionId: id }, head, view)).toBe(true)
}

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
    await createdIn(store)
    expect(await openOn(store).verify(id.toUpperCase())).toEqual({ sessions: 1, events: 2, differences: [] })
    await expect(openOn(store).verify('no id')).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  })

  it('tells how far it is, up to the end', async () => {
    await createdIn(store, { id: 'ffffffff-ffff-7fff-bfff-ffffffffffff' })
    const told: UpkeepProgress[] = []
    const options = { onProgress: (progress: UpkeepProgress) => void told.push(progress) }
    await openOn(store).verify(undefined, options)
    const of = { sessions: 2, events: 3 }
    expect(told).toEqual([
      { sessions: 0, events: 2, of },
      { sessions: 1, events: 2, of },
      { sessions: 1, events: 3, of },
      { sessions: 2, events: 3, of },
    ])
    told.length = 0
    await openOn(store).verify(id, options)
    expect(told.at(-1)).toEqual({ sessions: 1, events: 2, of: { sessions: 1, events: 2 } })
  })

  it('goes through more sessions and events than fit on a page', async () => {
    for (let n = 0; n < 600; n++) await createdIn(store)
    for (let n = 0; n < 600; n++) await store.append(appending(id))
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
    const repair: SessionStore['repair'] = async (...given) => {
      if (late-- > 0) await store.append(appending(id))
      return await store.repair(...given)
    }
    expect((await openOn({ ...store, repair }).rebuild()).repaired).toEqual([id])
    expect((await store.load({ sessionId: id }))?.record).toMatchObject({ head: 3, turns: 2 })
  })
})
