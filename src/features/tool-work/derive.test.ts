import { expect, it } from 'vitest'
import type { EventInput } from '../../api.ts'
import { toolTable } from '../../domain/tools/tool-table.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import type { Store } from '../../ports/store.ts'
import { upTo } from '../../stores/conformance/samples.ts'
import { memoryStore } from '../../stores/memory/index.ts'

const reads = (path: string): EventInput[] => [
  { type: 'tool_call', content: '', parts: { id: path, name: 'Read', arguments: { file_path: path } } },
  { type: 'tool_result', content: '', parts: { toolCallId: path } },
]

/** A store that counts the events that are read. */
function counting(store: Store): { store: Store; read(): number } {
  let events = 0
  const read: Store['read'] = async (...given) => {
    const page = await store.read(...given)
    events += page.length
    return page
  }
  return { store: { ...store, read }, read: () => events }
}

it('reads each event once, and nothing again while the log stays', async () => {
  const { store, read } = counting(memoryStore(uuid7))
  const session = await openOn(store, { index: false }).sessions.create({ userId: 'ada' })
  await session.append(upTo(400).flatMap((n) => reads(`f${n}`)))
  const before = read()
  expect((await session.graph({ limit: 500 })).edges).toHaveLength(400)
  expect(read() - before).toBe(801)
  await session.graph()
  expect(read() - before).toBe(801)
  await session.append(reads('more'))
  expect((await session.graph({ limit: 500 })).edges).toHaveLength(401)
  expect(read() - before).toBe(803)
})

it('reads forty pages at once; the rest follows in the background, of this session only', async () => {
  const store = memoryStore(uuid7)
  const tl = openOn(store)
  const session = await tl.sessions.create({ userId: 'ada' })
  const other = await tl.sessions.create({ userId: 'bob' })
  for (const n of upTo(21)) await session.append(upTo(500).flatMap((i) => reads(`f${n}/${i}`)))
  await other.append(reads('a'))
  expect((await session.graph()).truncated).toBe(true)
  const mark = ({ id }: { id: string }) => store.workMark({ sessionId: id }, toolTable().name)
  expect(await mark(session)).toMatchObject({ at: 20_000, head: 21_001 })
  await expect.poll(async () => (await mark(session)).at, { timeout: 20_000 }).toBe(21_001)
  expect((await mark(other)).at).toBe(0)
  const [path] = (await session.graph({ node: 'file:f21/500' })).edges
  expect(path).toMatchObject({ from: 'task:session', to: 'file:f21/500' })
  await tl.close()
})
