import { expect, it } from 'vitest'
import { noMetrics } from './none.ts'

it('takes every call and does nothing', () => {
  expect(noMetrics.cache.count('get', 'hit')).toBeUndefined()
  expect(noMetrics.refreshed('found', 0.001)).toBeUndefined()
  expect(noMetrics.invalid('reserved_key')).toBeUndefined()
  expect(noMetrics.wrote('update', 'ok', 0.001)).toBeUndefined()
})
