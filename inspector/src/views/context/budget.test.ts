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

describe('the slider of the budget', () => {
  it('goes from nothing to 200,000, and every step of it is another budget', () => {
    const all = Array.from({ length: SLIDER_STEPS + 1 }, (_, place) => tokensAtPosition(place))
    expect([all[0], all[1], all.at(-1)]).toEqual([0, 100, 200_000])
    expect(all.every((tokens, place) => place === 0 || tokens > (all[place - 1] ?? 0))).toBe(true)
  })

  it('stands where its own steps led it, so that keys move it on', () => {
    for (let place = 0; place <= SLIDER_STEPS; place++) expect(sliderPosition(tokensAtPosition(place))).toBe(place)
  })

  it('stands at its ends for what is beyond them', () => {
    expect([sliderPosition(-1), sliderPosition(3), sliderPosition(5_000_000)]).toEqual([0, 1, SLIDER_STEPS])
  })
})

describe('a budget in words', () => {
  it('is what was typed, within what makes sense', () => {
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

  it('is short on a button', () => {
    expect([0, 500, 1000, 1500, 128_000].map(formatTokens)).toEqual(['0', '500', '1k', '1500', '128k'])
  })
})
