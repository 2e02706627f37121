import { expect, it } from 'vitest'
import { costOf } from './price.ts'

const PRICES = {
  'gpt-5': { input: 2, output: 10 },
  'gpt-5-mini': { input: 1, output: 1, cacheRead: 0.1, cacheWrite: 1.25 },
}
const usage = (model: string, more = {}) => ({ model, inputTokens: 1_000_000, outputTokens: 100_000, ...more })

it('is what the tokens cost, cached ones at their own price', () => {
  expect(costOf(usage('gpt-5'), PRICES)).toBe(3)
  const cached = { cacheReadTokens: 500_000, cacheWriteTokens: 100_000 }
  expect(costOf(usage('gpt-5-mini', cached), PRICES)).toBe(0.675)
  expect(costOf(usage('gpt-5', cached), PRICES)).toBe(3)
})

it('is rounded to a billionth of a dollar', () => {
  const prices = { m: { input: 0.0031, output: 0 } }
  expect(costOf({ model: 'm', inputTokens: 1, outputTokens: 0 }, prices)).toBe(3e-9)
})

it.each([['gpt-5-2026-01-31'], ['gpt-5-20260131'], ['gpt-5@20260131'], ['gpt-5-latest']])(
  'of %s is that of the name without the release',
  (model) => {
    expect(costOf(usage(model), PRICES)).toBe(3)
  },
)

it('beyond the limit is not known', () => {
  expect(costOf(usage('m'), { m: { input: 10_000, output: 0 } })).toBe(10_000)
  expect(costOf(usage('m'), { m: { input: 10_000, output: 0.1 } })).toBeUndefined()
})

it('of a named release is its own', () => {
  const prices = { ...PRICES, 'gpt-5-2026-01-31': { input: 1, output: 0 } }
  expect(costOf(usage('gpt-5-2026-01-31'), prices)).toBe(1)
})

it.each([['gpt-5-nano'], ['gpt-5.1'], ['gpt'], ['constructor'], ['']])('is not known of %s', (model) => {
  expect(costOf(usage(model), PRICES)).toBeUndefined()
})
