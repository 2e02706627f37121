import { expect, it } from 'vitest'
import { eventNumber } from './event-number.ts'

it('an event is named by its number, however that is written, and only if it is there', () => {
  for (const text of ['2505', '#2505', ' 2,505 ', '# 2 505']) expect(eventNumber(text, 5000), text).toBe(2505)
  for (const text of ['', '#', 'abc', '0', '-3', '2.5', '1e3', '5001'])
    expect(eventNumber(text, 5000), text).toBe(undefined)
})
