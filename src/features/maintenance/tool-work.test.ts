import { beforeEach, expect, it } from 'vitest'
import type { Session, Throughline } from '../../api.ts'
import { uuid7 } from '../../ids.ts'
import { openOn } from '../../open/open.ts'
import type { Store } from '../../ports/store.ts'
import type { DerivedWork } from '../../stores/memory/data.ts'
import { type MemoryData, memoryData, memoryStore } from '../../stores/memory/index.ts'

let data: MemoryData
let store: Store
let tl: Throughline
let session: Session

beforeEach(async () => {
  data = memoryData()
  store = memoryStore(uuid7, data)
  tl = openOn(store, { index: false })
  session = await tl.sessions.create({ userId: 'ada' })
  await read('a')
  await read('b')
  await session.append({
    type: 'tool_call',
    content: '',
    parts: { id: 'c', name: 'Read', arguments: { file_path: 'c' } },
  })
  await session.graph()
})

async function read(path: string): Promise<void> {
  await session.append([
    { type: 'tool_call', content: '', parts: { id: path, name: 'Read', arguments: { file_path: path } } },
    { type: 'tool_result', content: '', parts: { toolCallId: path } },
  ])
}

/** What was derived, to change it as the owner of a database could. */
const derived = () => data.sessions.get(session.id)?.derived.values().next().value as DerivedWork
const differences = async () => (await tl.verify()).differences
const fields = async () => (await differences()).map(({ field }) => field)
const files = async () => (await session.graph()).edges.map(({ to }) => to)

it('names derived edges that are missing, too much or changed, and derives them again', async () => {
  expect(await differences()).toEqual([])
  const { edges } = derived()
  const [[first], [second, kept]] = [...edges] as [[string, unknown], [string, { sequence: number; evidence: string }]]
  edges.delete(first)
  edges.set(second, { ...kept, evidence: '{}' } as never)
  edges.set('more', { from: 'task:session', label: 'references', to: 'file:z', sequence: 3, evidence: '{}' })
  expect(
    (await differences()).map(({ field, expected, actual }) => [field, expected !== undefined, actual !== undefined]),
  ).toEqual([
    ['edges', true, false],
    ['edges', true, true],
    ['edges', false, true],
  ])
  expect((await tl.rebuild()).repaired).toEqual([session.id])
  expect(await differences()).toEqual([])
  expect(derived().at).toBe(6)
  expect(await files()).toEqual(['file:a', 'file:b'])
  expect((await tl.rebuild()).repaired).toEqual([])
})

it('names a mark that does not fit the log, and a read of it that cannot go on', async () => {
  derived().state = '{"calls":[],"processes":[]}'
  expect(await fields()).toEqual(['work.state'])
  derived().state = 'no json'
  expect(await fields()).toEqual(['work.state'])
  await read('d')
  await expect(session.graph()).rejects.toThrow('run throughline rebuild')
  expect((await tl.rebuild()).repaired).toEqual([session.id])
  await session.append({ type: 'tool_result', content: '', parts: { toolCallId: 'c' } })
  expect(await files()).toEqual(['file:a', 'file:b', 'file:c', 'file:d'])
  derived().at = 99
  expect(await fields()).toEqual(['work.at'])
  expect((await tl.rebuild()).repaired).toEqual([session.id])
  expect(await differences()).toEqual([])
})

it('accepts edges that others derive during the check, and asks for none behind the mark', async () => {
  await read('d')
  expect(await differences()).toEqual([])
  let late = 1
  const edges: Store['edges'] = async (...given) => {
    if (late-- > 0) await session.graph()
    return await store.edges(...given)
  }
  expect((await openOn({ ...store, edges }, { index: false }).verify()).differences).toEqual([])
  expect(late).toBeLessThan(1)
  expect(derived().at).toBe(8)
})

it('leaves what was never read alone', async () => {
  const other = await tl.sessions.create({ userId: 'bob' })
  const damaged = await store.load({ sessionId: other.id })
  if (damaged === undefined) throw new Error('no session')
  damaged.record.turns = 7
  await store.repair({ sessionId: other.id }, 1, damaged, [])
  expect((await tl.rebuild()).repaired).toEqual([other.id])
  expect(data.sessions.get(other.id)?.derived.size).toBe(0)
})
