import { describe, expect, it } from 'vitest'
import { describeOmitted } from './omitted.ts'

describe('what was left out', () => {
  it('is told in words, with what it means', () => {
    const {
      name: what,
      count: howMany,
      reason: why,
      explanation: means,
    } = describeOmitted({ section: 'window', count: 1200, reason: 'budget' }, 600)
    expect({ what, howMany, why }).toEqual({ what: 'Messages', howMany: '1,200', why: 'over the budget' })
    expect(means).toContain('newest first')
  })

  it('says that older messages are counted up to 500', () => {
    const older = (count: number) => describeOmitted({ section: 'history', count, reason: 'budget' }, 600).count
    expect([older(499), older(500)]).toEqual(['499', '500 or more'])
  })

  it('speaks of no shares of a budget that has none', () => {
    const means = (budget: number) =>
      describeOmitted({ section: 'memories', count: 1, reason: 'budget' }, budget).explanation
    expect([means(0), means(1)]).toEqual(Array(2).fill('So small a budget has no room for it.'))
    expect(means(2)).toContain('15 %')
  })

  it('is told as it is where the server knows more than the page', () => {
    const {
      name: what,
      reason: why,
      explanation: means,
    } = describeOmitted({ section: 'later', count: 1, reason: 'other' as never }, 600)
    expect([what, why, means]).toEqual(['later', 'other', ''])
  })
})
