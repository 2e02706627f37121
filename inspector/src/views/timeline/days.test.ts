import { expect, it } from 'vitest'
import type { SessionEvent } from '../../api/types.ts'
import { dayAbove } from './days.ts'

const at = (date: number, hour: number, type = 'x.tick') =>
  ({ type, createdAt: new Date(2026, 0, date, hour).toISOString() }) as SessionEvent
const now = new Date(2026, 0, 9, 12).getTime()

it('shows the day above the first event, the first of a new day, and old turns', () => {
  expect(dayAbove(at(9, 8), null, now)).toContain('2026')
  expect(dayAbove(at(9, 1), at(8, 23), now)).toBe(dayAbove(at(9, 8), null, now))
  expect(dayAbove(at(8, 23), at(8, 1), now)).toBeUndefined()
  expect(dayAbove(at(8, 23, 'user_message'), at(8, 1), now)).toBe(dayAbove(at(8, 1), null, now))
  expect(dayAbove(at(9, 8, 'user_message'), at(9, 7), now)).toBeUndefined()
})

it('shows no day for an invalid time', () => {
  expect(dayAbove(at(9, 8), undefined, now)).toBeUndefined()
  const broken = { type: 'x.tick', createdAt: 'never' } as Partial<SessionEvent> as SessionEvent
  expect(dayAbove(broken, null, now)).toBeUndefined()
})
