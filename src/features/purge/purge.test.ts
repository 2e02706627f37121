import { afterEach, expect, it } from 'vitest'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import { blockOf, endSteps, foreignSession, importSession, WORK } from '../../stores/conformance/import-samples.ts'
import { memoryStore } from '../../stores/memory/index.ts'

const store = memoryStore(uuid7)
const tl = openOn(store)

afterEach(async () => {
  await tl.users.purge('ada')
})

it('discards a session that is only coming in, for the operator and for its owner', async () => {
  for (const caller of [tl, tl.as({ tenant: 'local' }), tl.as({ tenant: 'local', userId: 'ada' })]) {
    const life = foreignSession({}, WORK)
    await store.imports.write(blockOf(life, 0, 5))
    const receipt = { sessions: 1, events: 5, keys: 0, memories: 0, purgedAt: expect.any(String) }
    expect(await caller.sessions.purge(life.sessionId.toUpperCase())).toEqual(receipt)
    expect(await store.imports.find(life.sessionId)).toBeUndefined()
    await expect(caller.sessions.purge(life.sessionId)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  }
})

it('has nothing that is coming in for a caller to whom it does not belong', async () => {
  const life = foreignSession({}, WORK)
  await store.imports.write(blockOf(life, 0, 5))
  for (const within of [{ tenant: 'other' }, { tenant: 'local', userId: 'bob' }]) {
    const purge = tl.as(within).sessions.purge(life.sessionId)
    await expect(purge).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
  }
  await tl.users.purge('bob')
  await tl.users.purge('ada', { tenant: 'other' })
  expect(await store.imports.find(life.sessionId)).toMatchObject({ isUnfinished: true })
})

it('purges with a user what has begun to come in, however much it is, and what came', async () => {
  const lives = Array.from({ length: 501 }, () => foreignSession({}, WORK))
  for (const life of lives) await store.imports.write(blockOf(life, 0, 2))
  const bobs = foreignSession({ userId: 'bob' }, [...WORK, ...endSteps(1)])
  await importSession(store, bobs, 4)
  const coming = foreignSession({ userId: 'bob' }, WORK)
  await store.imports.write(blockOf(coming, 0, 3))
  expect(await tl.users.purge('ada')).toMatchObject({ sessions: 501, events: 1002 })
  expect(await store.imports.unfinished({ limit: 9 })).toEqual([coming.sessionId])
  expect(await store.totals(undefined)).toEqual({ sessions: 1, events: 11 })
  expect(await tl.users.purge('bob')).toMatchObject({ sessions: 2, events: 14 })
  expect(await store.totals(undefined)).toEqual({ sessions: 0, events: 0 })
})
