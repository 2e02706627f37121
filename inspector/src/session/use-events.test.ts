import { expect, it } from 'vitest'
import type { SessionEvent } from '../api/types.ts'
import { withArrived } from './use-events.ts'

const events = (...sequences: number[]) => sequences.map((sequence) => ({ sequence }) as SessionEvent)
const found = { events: events(1, 2), hasMore: false, isLoading: false, problem: undefined }

it('takes what arrives once, and lets the oldest go', () => {
  expect(withArrived(found, events(2, 3), 3)).toEqual({ ...found, events: events(1, 2, 3) })
  expect(withArrived(found, events(2, 3, 4), 3)).toEqual({ ...found, events: events(2, 3, 4), hasMore: true })
})
