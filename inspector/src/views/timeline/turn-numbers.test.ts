import { describe, expect, it } from 'vitest'
import type { SessionEvent } from '../../api/types.ts'
import { TurnNumbers } from './turn-numbers.ts'

/** A log of 10,000 events. Every tenth, from the fifth, is a user message: turn 1 starts at 5, turn 2 at 15 … */
const peekWithin = (from: number, to: number) => (sequence: number) =>
  sequence < from || sequence > to
    ? undefined
    : ({ sequence, type: sequence % 10 === 5 ? 'user_message' : 'model_message' } as SessionEvent)

describe('the number of a turn', () => {
  it('is counted from the beginning', () => {
    const turns = new TurnNumbers()
    expect(turns.at(5, peekWithin(1, 100))).toBe(1)
    expect(turns.at(95, peekWithin(1, 100))).toBe(10)
  })

  it('is counted back from a known number', () => {
    const turns = new TurnNumbers()
    turns.note(10_000, 1000)
    expect(turns.at(9995, peekWithin(9900, 10_000))).toBe(1000)
    expect(turns.at(9905, peekWithin(9900, 10_000))).toBe(991)
  })

  it('is unknown across events that are not loaded', () => {
    const turns = new TurnNumbers()
    turns.note(10_000, 1000)
    expect(turns.at(5005, peekWithin(5000, 5100))).toBeUndefined()
    expect(turns.at(5005, () => undefined)).toBeUndefined()
  })

  it('follows for all neighbors of a known one', () => {
    const turns = new TurnNumbers()
    turns.note(5045, 505)
    expect(turns.at(5005, peekWithin(5000, 5100))).toBe(501)
    expect(turns.at(5095, peekWithin(5000, 5100))).toBe(510)
    expect(turns.at(5005, () => undefined)).toBe(501)
  })

  it('is counted only over a limited distance', () => {
    const turns = new TurnNumbers()
    let looks = 0
    const peek = (sequence: number) => {
      looks++
      return { sequence, type: 'x.tick' } as unknown as SessionEvent
    }
    expect(turns.at(50_000, peek)).toBeUndefined()
    expect(looks).toBeLessThan(5000)
  })
})
