import { expect, test } from 'vitest'
import type { AppendRequest } from '../../ports/session-store.ts'
import { batchColumns, keyedAppends, type PendingAppend, singleColumns, takeBatch } from './append-batch.ts'

const AT = '2026-05-01T12:00:00.000Z'

function append(sessionId: string, rest: Partial<AppendRequest> = {}, count = 1): PendingAppend {
  const event = { id: crypto.randomUUID(), type: 'user_message', role: 'user', content: 'hello' }
  return { request: { sessionId, at: AT, events: Array.from({ length: count }, () => event), ...rest } }
}

const keyed = (key: string) => ({ idempotency: { key, fingerprint: 'f' } })
const shape = (waiting: PendingAppend[]) => takeBatch(waiting).map(({ sessionId, items }) => [sessionId, items.length])

test('appends to one session are one group in their order, and groups go by tenant and id', () => {
  const waiting = [
    append('b', { within: { tenant: 'x', userId: 'u' } }),
    append('c', { within: { tenant: 'a', userId: 'u' } }),
    append('a', { within: { tenant: 'x', userId: 'u' } }),
    append('z'),
    append('b', { within: { tenant: 'x', userId: 'u' } }),
  ]
  const [first, last] = [waiting[0], waiting[4]]
  const groups = takeBatch(waiting)
  expect(groups.map(({ sessionId }) => sessionId)).toEqual(['z', 'c', 'a', 'b'])
  expect(groups.at(-1)?.items).toEqual([first, last])
  expect(waiting).toEqual([])
})

test('what another owner, the same key or an expected sequence keeps apart waits, and all after it for the session', () => {
  for (const apart of [
    { within: { tenant: 'x', userId: 'other' } },
    { expectedSequence: 3 },
    keyed('k'),
  ] satisfies Partial<AppendRequest>[]) {
    const waiting = [append('a', keyed('k')), append('a', apart), append('a'), append('b')]
    expect(shape(waiting)).toEqual([
      ['a', 1],
      ['b', 1],
    ])
    expect(waiting).toHaveLength(2)
  }
  const waiting = [append('a', { expectedSequence: 3 }), append('a')]
  expect(shape(waiting)).toEqual([['a', 1]])
  expect(shape(waiting)).toEqual([['a', 1]])
})

test('a call has 256 appends at most, and one that must go alone goes alone', () => {
  const waiting = Array.from({ length: 300 }, () => append('a'))
  expect(shape(waiting)).toEqual([['a', 256]])
  waiting.push({ ...append('b'), isAlone: true })
  expect(shape(waiting)).toEqual([['b', 1]])
  expect(shape(waiting)).toEqual([['a', 44]])
})

test('columns say of each event which session it is for and where it stands there', () => {
  const groups = takeBatch([append('a', {}, 2), append('a', keyed('k')), append('b', { expectedSequence: 2 ** 40 }, 2)])
  const columns = batchColumns(groups, keyedAppends(groups))
  expect(columns.slice(0, 16)).toEqual([
    ['a', 'b'],
    null,
    null,
    [3, 2],
    [3, 2],
    [AT, AT],
    [null, 2 ** 31 - 1],
    ['user_message', 'user_message'],
    [1],
    ['k'],
    ['f'],
    [3],
    [1],
    [1, 1, 1, 2, 2],
    [1, 2, 3, 1, 2],
    [AT, AT, AT, AT, AT],
  ])
})

test('a session has a type where all that it gets have the same', () => {
  const other = { id: crypto.randomUUID(), type: 'model_message', role: 'assistant', content: 'hello' }
  const groups = takeBatch([append('a'), append('b'), append('a', { events: [other] })])
  expect(batchColumns(groups, [])[7]).toEqual([null, 'user_message'])
})

test('only a single event without conditions goes the straight way', () => {
  const single = (...waiting: PendingAppend[]) => singleColumns(takeBatch(waiting)) !== undefined
  expect(single(append('a'))).toBe(true)
  expect(single(append('a'), append('a'))).toBe(false)
  expect(single(append('a'), append('b'))).toBe(false)
  expect(single(append('a', {}, 2))).toBe(false)
  expect(single(append('a', keyed('k')))).toBe(false)
  expect(single(append('a', { expectedSequence: 1 }))).toBe(false)
})
