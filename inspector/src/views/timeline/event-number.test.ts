import { expect, it } from 'vitest'
import { eventNumber } from './event-number.ts'

it('parses event numbers in several notations, within the log', () => {
  for (const text of ['2505', '#2505', ' 2,505 ', '# 2 505']) expect(eventNumber(text, 5000), text).toBe(2505)
  for (const text of ['', '#', 'abc', '0', '-3', '2.5', '1e3', '5001'])
    expect(eventNumber(text, 5000), text).toBe(undefined)
})
