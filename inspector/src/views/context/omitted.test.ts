import { describe, expect, it } from 'vitest'
import { describeOmitted } from './omitted.ts'

describe('describeOmitted', () => {
  it('names the part, count, reason and events, and explains it', () => {
    const sequences = [
      { from: 12, to: 12 },
      { from: 20, to: 1218 },
    ]
    expect(describeOmitted({ section: 'window', count: 1200, reason: 'middle_dropped', sequences }, 600)).toEqual({
      name: 'Messages',
      count: '1,200',
      reason: 'middle of a turn left out',
      events: '12, 20–1218',
      explanation: expect.stringContaining('request and the last answer'),
    })
  })

  it('names only the first of many events', () => {
    const sequences = Array.from({ length: 20 }, (_, i) => ({ from: 2 * i, to: 2 * i }))
    expect(describeOmitted({ section: 'window', count: 20, reason: 'result_replaced', sequences }, 600).events).toBe(
      '0, 2, 4, 6, 8, 10, 12, 14 …',
    )
  })

  it('mentions no shares of a tiny budget', () => {
    const explain = (budget: number) =>
      describeOmitted({ section: 'memories', count: 1, reason: 'budget' }, budget).explanation
    expect([explain(0), explain(1)]).toEqual(Array(2).fill(expect.stringContaining('too small')))
    expect(explain(2)).toContain('15%')
  })

  it('shows unknown sections and reasons as they are', () => {
    expect(describeOmitted({ section: 'later' as never, count: 1, reason: 'other' as never }, 600)).toMatchObject({
      name: 'later',
      reason: 'other',
      explanation: '',
    })
  })
})
