import { expect, it } from 'vitest'
import { LogCache, type LogEnd } from './log-cache.ts'

const endOf = (characters: number, startedAt = 'today'): LogEnd => {
  const event = { id: 'e', sessionId: 's', sequence: 1, type: 'user_message', role: 'user', content: '' } as const
  const newestFirst = [{ event: { ...event, createdAt: 'today' }, size: characters }]
  return { startedAt, before: 1, head: 1, newestFirst, answers: new Map() }
}

it('keeps the ends of logs that were read last, up to a size', () => {
  const cache = new LogCache(10)
  const kept = () => ['a', 'b', 'c'].filter((id) => cache.get(id, { startedAt: 'today' }) !== undefined)
  cache.set('a', endOf(4))
  cache.set('b', endOf(4))
  cache.set('a', endOf(5))
  expect(kept()).toEqual(['a', 'b'])
  cache.set('c', endOf(4))
  expect(kept()).toEqual(['a', 'c'])
  cache.delete('a')
  cache.set('b', endOf(6))
  expect(kept()).toEqual(['b', 'c'])
  cache.set('a', endOf(11))
  expect(kept()).toEqual([])
})

it('knows another session of the same id by its start', () => {
  const cache = new LogCache(10)
  cache.set('a', endOf(1, 'yesterday'))
  expect(cache.get('a', { startedAt: 'today' })).toBeUndefined()
})

it('knows another line of the session by its hidden ranges', () => {
  const cache = new LogCache(10)
  cache.set('a', { ...endOf(1), hidden: [[3, 4]] })
  expect(cache.get('a', { startedAt: 'today' })).toBeUndefined()
  expect(cache.get('a', { startedAt: 'today', hidden: [[3, 4]] })).toBeDefined()
})
