import { describe, expect, it } from 'vitest'
import {
  DEFAULT_BUDGET,
  formatTokens,
  MAX_BUDGET,
  parseBudget,
  SLIDER_STEPS,
  sliderPosition,
  tokensAtPosition,
} from './budget.ts'

describe('budget slider', () => {
  it('goes from 0 to 200,000, each step a different budget', () => {
    const all = Array.from({ length: SLIDER_STEPS + 1 }, (_, place) => tokensAtPosition(place))
    expect([all[0], all[1], all.at(-1)]).toEqual([0, 100, 200_000])
    expect(all.every((tokens, place) => place === 0 || tokens > (all[place - 1] ?? 0))).toBe(true)
  })

  it('maps each of its budgets back to the same position, so keys keep moving it', () => {
    for (let place = 0; place <= SLIDER_STEPS; place++) expect(sliderPosition(tokensAtPosition(place))).toBe(place)
  })

  it('clamps budgets beyond its ends', () => {
    expect([sliderPosition(-1), sliderPosition(3), sliderPosition(5_000_000)]).toEqual([0, 1, SLIDER_STEPS])
  })
})

describe('parseTokens and formatTokens', () => {
  it('parse what was typed, within limits', () => {
    expect(['', 'many', '-5', '0', '12.9', '32,000', '9e9'].map(parseBudget)).toEqual([
      DEFAULT_BUDGET,
      DEFAULT_BUDGET,
      DEFAULT_BUDGET,
      0,
      12,
      32_000,
      MAX_BUDGET,
    ])
  })

  it('shorten thousands', () => {
    expect([0, 500, 1000, 1500, 128_000].map(formatTokens)).toEqual(['0', '500', '1k', '1500', '128k'])
  })
})
