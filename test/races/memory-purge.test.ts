import { expect, it } from 'vitest'
import { ANALYSIS_VERSION } from '../../src/domain/recall/postings.ts'
import { uuid7 } from '../../src/ids.ts'
import { openOn } from '../../src/open/open.ts'
import type { Store } from '../../src/ports/store.ts'
import { expectError } from '../../src/stores/conformance/samples.ts'
import { memoryStore } from '../../src/stores/memory/index.ts'

const ADA = { userId: 'ada' }

/** A store with two sessions of one user that have ended, by what was said in them. */
async function prepared() {
  const store = memoryStore(uuid7)
  const tl = openOn(store, { index: false })
  const sessions = new Map<string, string>()
  for (const content of ['I live in Lisbon', 'I prefer ferries over planes']) {
    const session = await tl.sessions.create(ADA)
    await session.append({ type: 'user_message', content })
    await session.end()
    sessions.set(session.id, content)
  }
  return { store, tl, sessions }
}

type Prepared = Awaited<ReturnType<typeof prepared>>

/** The same store for another caller, with the session purged just before a call. */
function purgedBefore(call: 'read' | 'add' | 'change', { store, tl }: Prepared, named?: string) {
  const gone: string[] = []
  const purge = async (id: string) => {
    if (gone.length > 0) return
    gone.push(id)
    await tl.sessions.purge(id)
  }
  const { index, memories } = store
  const calls: Record<typeof call, Partial<Store>> = {
    read: {
      async read(key, query) {
        await purge(key.sessionId)
        return await store.read(key, query)
      },
    },
    add: {
      index: {
        ...index,
        async add(request) {
          await purge(request.sessionId)
          return await index.add(request)
        },
      },
    },
    change: {
      memories: {
        ...memories,
        async change(request) {
          await purge(named ?? request.mark?.sessionId ?? '')
          return await memories.change(request)
        },
      },
    },
  }
  return { gone, other: openOn({ ...store, ...calls[call] }, { index: false, tokenizer: 'estimate' }) }
}

const said = (prepared: Prepared, gone: readonly string[]) =>
  [...prepared.sessions].filter(([id]) => !gone.includes(id)).map(([, content]) => content)

it.each(['read', 'add'] as const)('answers a question although a session is purged before its %s', async (call) => {
  const all = await prepared()
  const { gone, other } = purgedBefore(call, all)
  const { items } = await other.recall({ ...ADA, query: 'ferries or Lisbon' })
  expect(gone).toHaveLength(1)
  expect(items.map(({ content }) => content)).toEqual(said(all, gone))
})

it.each(['read', 'add', 'change'] as const)('indexes the others although one is purged before its %s', async (call) => {
  const all = await prepared()
  const { gone, other } = purgedBefore(call, all)
  await other.index()
  expect(gone).toHaveLength(1)
  expect(await all.store.index.behind({ version: ANALYSIS_VERSION, limit: 10 })).toEqual([])
  const { items } = await all.tl.memories.list(ADA)
  expect(items.map(({ content }) => content)).toEqual(said(all, gone))
})

it('forgets memories extracted from a session during its purge', async () => {
  const { store, tl, sessions } = await prepared()
  const [sessionId = '', ...others] = sessions.keys()
  const purging = openOn(
    {
      ...store,
      memories: {
        ...store.memories,
        async change(request) {
          if (request.purge !== undefined) for (const id of [sessionId, ...others]) await tl.memories.extract(id)
          return await store.memories.change(request)
        },
      },
    },
    { index: false },
  )
  expect(await purging.sessions.purge(sessionId)).toMatchObject({ sessions: 1, memories: 1 })
  const { items } = await tl.memories.list(ADA)
  expect(items.map(({ content }) => content)).toEqual([...sessions.values()].slice(1))
})

it('remembers nothing of a session that is purged at the same time', async () => {
  const all = await prepared()
  const [sessionId = ''] = all.sessions.keys()
  const { other } = purgedBefore('change', all, sessionId)
  await expectError('SESSION_NOT_FOUND', other.memories.remember({ ...ADA, content: 'A boat', source: { sessionId } }))
  expect(await all.tl.memories.list(ADA)).toEqual({ items: [] })
})

it.each(['corroborate', 'contradict'] as const)('lets a session that is purged meanwhile not %s', async (way) => {
  const all = await prepared()
  const [sessionId = ''] = all.sessions.keys()
  const { id } = await all.tl.memories.remember({ ...ADA, content: 'A boat' })
  const before = await all.tl.memories.get(id)
  const { other } = purgedBefore('change', all, sessionId)
  await expectError('SESSION_NOT_FOUND', other.memories[way](id, { sessionId }))
  expect(await all.tl.memories.get(id)).toEqual(before)
})
