import { expect, test } from 'vitest'
import type { AppendRequest } from '../../ports/session-store.ts'
import { someEvent } from '../conformance/samples.ts'
import { batchColumns, keyedAppends, type PendingAppend, singleColumns, takeBatch } from './append-batch.ts'

const AT = '2026-05-01T12:00:59.999Z'
const EARLIER = '2026-05-01T12:00:59.998Z'
const LATER = '2026-05-01T12:01:00.000Z'
const MINUTE = Date.parse('2026-05-01T12:00:00Z') / 60_000

function append(sessionId: string, rest: Partial<AppendRequest> = {}, count = 1): PendingAppend {
  const event = someEvent()
  const request = { sessionId, at: AT, events: Array.from({ length: count }, () => event), ...rest }
  return { request, partition: 7 }
}

const keyed = (key: string) => ({ idempotency: { key, fingerprint: 'f' } })
const shape = (pending: PendingAppend[]) => takeBatch(pending).map(({ sessionId, items }) => [sessionId, items.length])

test('groups appends by session in order, and sorts groups by tenant and id', () => {
  const pending = [
    append('b', { within: { tenant: 'x', userId: 'u' } }),
    append('c', { within: { tenant: 'a', userId: 'u' } }),
    append('a', { within: { tenant: 'x', userId: 'u' } }),
    append('z'),
    append('b', { within: { tenant: 'x', userId: 'u' } }),
  ]
  const [first, last] = [pending[0], pending[4]]
  const groups = takeBatch(pending)
  expect(groups.map(({ sessionId }) => sessionId)).toEqual(['z', 'c', 'a', 'b'])
  expect(groups.at(-1)?.items).toEqual([first, last])
  expect(pending).toEqual([])
})

test('leaves appends with another owner or run, the same key or an expected sequence in the queue, and later ones to the session', () => {
  for (const apart of [
    { within: { tenant: 'x', userId: 'other' } },
    { run: 2 },
    { expectedSequence: 3 },
    keyed('k'),
  ] satisfies Partial<AppendRequest>[]) {
    const pending = [append('a', keyed('k')), append('a', apart), append('a'), append('b')]
    expect(shape(pending)).toEqual([
      ['a', 1],
      ['b', 1],
    ])
    expect(pending).toHaveLength(2)
  }
  const pending = [append('a', { expectedSequence: 3 }), append('a')]
  expect(shape(pending)).toEqual([['a', 1]])
  expect(shape(pending)).toEqual([['a', 1]])
})

test('takes at most 256 appends, and an append marked alone by itself', () => {
  const pending = Array.from({ length: 300 }, () => append('a'))
  expect(shape(pending)).toEqual([['a', 256]])
  pending.push({ ...append('b'), isAlone: true })
  expect(shape(pending)).toEqual([['b', 1]])
  expect(shape(pending)).toEqual([['a', 44]])
})

test('takes at most 256 events, unless one append has more, and of each user in turn', () => {
  const of = (sessionId: string, partition: number, count: number) => ({ ...append(sessionId, {}, count), partition })
  const pending = [...Array.from({ length: 100 }, () => of('a', 1, 64)), of('b', 1, 400), of('c', 2, 1)]
  expect(shape(pending)).toEqual([
    ['a', 3],
    ['c', 1],
  ])
  // what is left keeps its order
  expect(pending.map(({ request }) => request.sessionId)).toEqual([...Array<string>(97).fill('a'), 'b'])
  expect(shape([of('b', 1, 400), of('c', 2, 1)])).toEqual([['b', 1]])
})

test('columns give the session and place of each event', () => {
  const groups = takeBatch([append('a', {}, 2), append('a', keyed('k')), append('b', { expectedSequence: 2 ** 40 }, 2)])
  const columns = batchColumns(groups, keyedAppends(groups))
  expect(columns.slice(0, 22)).toEqual([
    7,
    [7, 7],
    ['a', 'b'],
    null,
    null,
    [3, 2],
    [3, 2],
    [15, 10],
    [AT, AT],
    [MINUTE, MINUTE],
    [null, 2 ** 31 - 1],
    ['user_message', 'user_message'],
    null,
    [AT, AT],
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

test('a session has a type if all its events have it', () => {
  const other = someEvent('hello', 'model_message')
  const groups = takeBatch([append('a'), append('b'), append('a', { events: [other] })])
  expect(batchColumns(groups, [])[11]).toEqual([null, 'user_message'])
})

test('appends of one run share a batch; the first message of a session is when it needs work', () => {
  const model = someEvent('hello', 'model_message')
  const groups = takeBatch([
    append('a', { run: 3, events: [model], at: EARLIER }),
    append('a', { run: 3 }),
    append('a', { run: 3, at: LATER }),
    append('b', { events: [model] }),
  ])
  expect(batchColumns(groups, []).slice(12, 14)).toEqual([
    [3, null],
    [AT, null],
  ])
})

test('only a single event without conditions uses append_event', () => {
  const single = (...pending: PendingAppend[]) => singleColumns(takeBatch(pending)) !== undefined
  expect(single(append('a'))).toBe(true)
  expect(single(append('a'), append('a'))).toBe(false)
  expect(single(append('a'), append('b'))).toBe(false)
  expect(single(append('a', {}, 2))).toBe(false)
  expect(single(append('a', keyed('k')))).toBe(false)
  expect(single(append('a', { expectedSequence: 1 }))).toBe(false)
})

test('an append to a held session stays in the queue, also if it is alone', () => {
  const pending = [append('a'), { ...append('a'), isAlone: true }, append('b')]
  const groups = takeBatch(pending, new Set(['a']))
  expect(groups.map(({ sessionId }) => sessionId)).toEqual(['b'])
  expect(pending).toHaveLength(2)
})

test('a session that is looked for in two partitions takes two batches', () => {
  const pending = [append('a'), { ...append('a'), partition: 8 }]
  expect(takeBatch(pending).map(({ partition }) => partition)).toEqual([7])
  expect(takeBatch(pending).map(({ partition }) => partition)).toEqual([8])
})
