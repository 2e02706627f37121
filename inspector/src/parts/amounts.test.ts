import { expect, it } from 'vitest'
import { countOf, formatCost, formatSpan, formatTokens } from './amounts.ts'

it('tokens are shown in three digits', () => {
  expect([0, 950, 45_230, 1_234_567, 2e9].map(formatTokens)).toEqual(['0', '950', '45.2K', '1.23M', '2B'])
})

it('costs below a cent keep digits that count', () => {
  expect([0, 0.00001, 0.0042, 0.02, 0.042, 0.42, 0.999, 3.2].map(formatCost)).toEqual([
    '$0.00',
    '< $0.0001',
    '$0.0042',
    '$0.02',
    '$0.042',
    '$0.42',
    '$1.00',
    '$3.20',
  ])
})

it('durations are shown in their two largest units', () => {
  expect([0, 440, 9949, 12_000, 60_000, 303_000, 7_800_000, 3_605_000, 90_000_000].map(formatSpan)).toEqual([
    '0.0 s',
    '0.4 s',
    '9.9 s',
    '12 s',
    '1 min',
    '5 min 3 s',
    '2 h 10 min',
    '1 h',
    '1 d 1 h',
  ])
})

it('a count has its unit', () => {
  expect([countOf(1, 'call'), countOf(1200, 'call')]).toEqual(['1 call', '1,200 calls'])
})
