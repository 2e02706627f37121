import { expect, it, describe as suite } from 'vitest'
import { Slots } from './slots.ts'
import type { Posting } from './term-matches.ts'

const posting = (session: string, turn: number): Posting => ({ session, turn, length: 3, asks: false, places: [2] })
const plan = (...terms: string[]) => ({
  groups: terms.map((term, place) => ({ term, place, weight: 1, members: new Map([[term, 1]]) })),
})
const postings = new Map([
  ['oar', [posting('b', 1), posting('b', 3), posting('a', 40)]],
  ['sail', [posting('a', 2), posting('b', 3)]],
])

suite('Layout', () => {
  const placesOf = (layout: Slots) =>
    Array.from(
      { length: layout.slots },
      (_, slot) => `${layout.sessions[layout.sessionAt(slot)]}${layout.turnAt(slot)}`,
    )

  it('has one slot for each message that matches, by session as met and by turn', () => {
    const layout = new Slots(plan('oar', 'sail'), postings, false)
    expect(placesOf(layout)).toEqual(['b1', 'b3', 'a2', 'a40'])
    expect([...layout.slotOf]).toEqual([0, 1, 3, 2, 1])
    expect([...layout.bySlot]).toEqual([0, 1, 4, 3, 2])
  })

  it('has slots for all that a match reaches, and each only once', () => {
    const layout = new Slots(plan('oar'), postings, true)
    const around = (session: string, from: number, to: number) =>
      Array.from({ length: to - from + 1 }, (_, i) => `${session}${from + i}`)
    expect(placesOf(layout)).toEqual([...around('b', -2, 7), ...around('a', 37, 44)])
    expect([...layout.slotOf].map((slot) => layout.turnAt(slot))).toEqual([1, 3, 40])
  })

  it('finds what it has and nothing else', () => {
    const layout = new Slots(plan('oar'), postings, true)
    const find = (session: string, turn: number) => layout.find(layout.numberOf(session), turn)
    expect(layout.turnAt(find('b', 5))).toBe(5)
    expect([find('b', 8), find('b', 1000), find('a', 1), find('c', 1)]).toEqual([-1, -1, -1, -1])
  })

  it('is empty for a plan that finds nothing', () => {
    expect(new Slots(plan('rudder'), postings, true).slots).toBe(0)
    expect(new Slots(plan(), postings, true).find(0, 1)).toBe(-1)
  })
})
