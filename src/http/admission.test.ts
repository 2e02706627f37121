import { describe, expect, it } from 'vitest'
import { Admission, DEFAULT_LIMITS } from './admission.ts'

const busy = expect.objectContaining({ code: 'UNAVAILABLE', details: { reason: 'busy' } })

describe('requests', () => {
  it('are let in up to the limit, and again when one has left', () => {
    const door = new Admission({ ...DEFAULT_LIMITS, requests: 2 })
    const [first] = [door.enter(), door.enter()]
    expect(() => door.enter()).toThrow(busy)
    first?.leave()
    // leaving twice makes no room for two
    first?.leave()
    door.enter()
    expect(() => door.enter()).toThrow(busy)
  })

  it('share what all bodies may hold, by what has come of them', () => {
    const door = new Admission({ ...DEFAULT_LIMITS, bodies: 100 })
    const [first, second] = [door.enter(), door.enter()]
    first.carry(60)
    second.carry(40)
    expect(() => second.carry(1)).toThrow(busy)
    first.leave()
    second.carry(60)
    expect(() => first.carry(1)).toThrow(busy)
  })

  it('are refused once the server stops', () => {
    const door = new Admission(DEFAULT_LIMITS)
    door.stop()
    expect(() => door.enter()).toThrow(expect.objectContaining({ details: { reason: 'stopping' } }))
  })
})

describe('a door that closes', () => {
  it('knows when nobody is inside any more', async () => {
    const door = new Admission(DEFAULT_LIMITS)
    await door.settled()
    const visits = [door.enter(), door.enter()]
    const left: string[] = []
    const settled = door.settled().then(() => left.push('settled'))
    for (const visit of visits) {
      await Promise.resolve()
      left.push('leaves')
      visit.leave()
    }
    await settled
    expect(left).toEqual(['leaves', 'leaves', 'settled'])
  })
})

describe('streams', () => {
  it('are limited for each caller, and for all', () => {
    const door = new Admission({ ...DEFAULT_LIMITS, streams: 3, streamsPerCaller: 2 })
    const end = door.follow('ada')
    door.follow('ada')
    expect(() => door.follow('ada')).toThrow(
      expect.objectContaining({ code: 'TOO_MANY_STREAMS', details: { limit: 2 } }),
    )
    door.follow('bob')
    expect(() => door.follow('bob')).toThrow(busy)
    end()
    end()
    door.follow('bob')
    expect(() => door.follow('eve')).toThrow(busy)
  })
})
