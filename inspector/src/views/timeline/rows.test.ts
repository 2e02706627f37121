import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../api/types.ts'
import { nearest, rowsOfEvents, rowsOfLog } from './rows.ts'

const event = (sequence: number) => ({ sequence }) as SessionEvent

describe('rows', () => {
  it('of a log are its events, by their sequence', () => {
    const rows = rowsOfLog(101, 200, event)
    expect([rows.count, rows.eventAt(0)?.sequence, rows.indexOf(200), rows.indexOf(201), rows.indexOf(100)]).toEqual([
      100, 101, 99, -1, -1,
    ])
    expect(rowsOfLog(1, 0, event).count).toBe(0)
  })

  it('of some events are found by their sequence too', () => {
    const rows = rowsOfEvents([3, 7, 12, 40].map(event))
    expect([3, 7, 12, 40, 1, 8, 99].map(rows.indexOf)).toEqual([0, 1, 2, 3, -1, -1, -1])
    expect([rows.keyAt(2), rows.keyAt(9)]).toEqual([12, 0])
    expect([1, 3, 6, 7, 39, 99].map((sequence) => nearest(rows, sequence))).toEqual([0, 0, 0, 1, 2, 3])
    expect(rowsOfEvents([]).indexOf(3)).toBe(-1)
  })
})
