import { expect, it } from 'vitest'
import type { SessionRecord } from '../../api/types.ts'
import { flatRows, treeRows } from './session-tree.ts'

function session(id: string, parent?: string, rest: Partial<SessionRecord> = {}): SessionRecord {
  const link = parent === undefined ? {} : { parent: { sessionId: parent } }
  return { id, startedAt: id, status: { state: 'running' }, ...link, ...rest } as SessionRecord
}

const LIST = [
  session('b2', 'b'),
  session('a'),
  session('b1', 'b', { status: { state: 'awaiting_user', question: '?', askedAt: '' } }),
  session('b'),
  session('b11', 'b1'),
  session('c1', 'not-listed'),
]
const show = (open: string[]) => treeRows(LIST, new Set(open)).map(({ record, depth }) => `${depth} ${record.id}`)

it('sub-agents are hidden below their parent until it is open, in the order of their start', () => {
  expect(show([])).toEqual(['0 a', '0 b', '0 c1'])
  expect(show(['b'])).toEqual(['0 a', '0 b', '1 b1', '1 b2', '0 c1'])
  expect(show(['b', 'b1', 'a'])).toEqual(['0 a', '0 b', '1 b1', '2 b11', '1 b2', '0 c1'])
})

it('a parent counts its sub-agents, and those that wait for a user', () => {
  const rows = treeRows(LIST, new Set())
  expect(rows.map(({ record, children, waiting }) => [record.id, children, waiting])).toEqual([
    ['a', 0, 0],
    ['b', 2, 1],
    ['c1', 0, 0],
  ])
})

it('sessions that name each other as parent are all listed', () => {
  const loop = [session('x', 'y'), session('y', 'x')]
  expect(treeRows(loop, new Set()).map(({ record }) => record.id)).toEqual(['x', 'y'])
})

it('flat rows have no tree', () => {
  expect(flatRows(LIST).map(({ record, depth }) => `${depth} ${record.id}`)).toEqual(LIST.map(({ id }) => `0 ${id}`))
})
