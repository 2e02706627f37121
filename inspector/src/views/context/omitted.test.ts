import { describe, expect, it } from 'vitest'
import { describeOmitted } from './omitted.ts'

describe('describeOmitted', () => {
  it('names the part, count and reason, and explains it', () => {
    expect(describeOmitted({ section: 'window', count: 1200, reason: 'budget' }, 600)).toEqual({
      name: 'Messages',
      count: '1,200',
      reason: 'over budget',
      explanation: expect.stringContaining('newest first'),
    })
  })

  it('says that the server counts older messages up to 500', () => {
    const older = (count: number) => describeOmitted({ section: 'history', count, reason: 'budget' }, 600).count
    expect([older(499), older(500)]).toEqual(['499', '500 or more'])
  })

  it('mentions no shares of a tiny budget', () => {
    const explain = (budget: number) =>
      describeOmitted({ section: 'memories', count: 1, reason: 'budget' }, budget).explanation
    expect([explain(0), explain(1)]).toEqual(Array(2).fill(expect.stringContaining('too small')))
    expect(explain(2)).toContain('15%')
  })

  it('shows unknown sections and reasons as they are', () => {
    expect(describeOmitted({ section: 'later', count: 1, reason: 'other' as never }, 600)).toMatchObject({
      name: 'later',
      reason: 'other',
      explanation: '',
    })
  })
})
