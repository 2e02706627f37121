import { describe, expect, it } from 'vitest'
import { Admission, DEFAULT_LIMITS } from './admission.ts'

const LOCAL = { name: 'local' }
const ADA = { name: 'ada', tenant: 'acme' }
const BOB = { name: 'bob', tenant: 'acme' }
const EVE = { name: 'eve', tenant: 'globex' }

const busy = expect.objectContaining({ code: 'UNAVAILABLE', details: { reason: 'busy' } })

const limited = (limit: string) => expect.objectContaining({ code: 'RATE_LIMITED', details: { limit, retryAfter: 1 } })

describe('requests', () => {
  it('are let in up to the limit, and again when one has left', () => {
    const door = new Admission({ ...DEFAULT_LIMITS, requests: 2 })
    const [first] = [door.enter(LOCAL), door.enter(LOCAL)]
    expect(() => door.enter(LOCAL)).toThrow(busy)
    first?.leave()
    // leaving twice makes no room for two
    first?.leave()
    door.enter(LOCAL)
    expect(() => door.enter(LOCAL)).toThrow(busy)
  })

  it('share what all bodies may hold, by what has come of them', () => {
    const door = new Admission({ ...DEFAULT_LIMITS, bodies: 100_000 })
    const [first, second] = [door.enter(LOCAL), door.enter(LOCAL)]
    first.carry(60_000)
    second.carry(39_000)
    expect(() => second.carry(1000)).toThrow(busy)
    first.leave()
    second.carry(60_000)
    expect(() => first.carry(1000)).toThrow(busy)
  })

  it('with bodies that arrive byte by byte count more than their bytes, because they take more memory', () => {
    const door = new Admission({ ...DEFAULT_LIMITS, bodies: 100_000 })
    const visit = door.enter(LOCAL)
    let bytes = 0
    const trickle = () => {
      for (; bytes < 100_000; bytes++) visit.carry(1)
    }
    expect(trickle).toThrow(busy)
    expect(bytes).toBeLessThan(1000)
  })

  it('of one caller or tenant leave room for others, in every respect', () => {
    const door = new Admission({ ...DEFAULT_LIMITS, requests: 9, bodies: 90_000, bulk: 9 })
    const visits = [door.enter(ADA), door.enter(ADA), door.enter(ADA)]
    expect(() => door.enter(ADA)).toThrow(limited('requests'))
    visits.push(door.enter(BOB))
    expect(() => door.enter(BOB)).toThrow(limited('requests'))
    const [first, second, third, bobs] = visits
    for (const visit of [first, second]) visit?.carry(14_000)
    expect(() => third?.carry(14_000)).toThrow(limited('bodies'))
    bobs?.carry(14_000)
    for (const visit of [first, second, third]) visit?.beginBulk()
    bobs?.beginBulk()
    const eve = door.enter(EVE)
    eve.carry(14_000)
    eve.beginBulk()
    for (const visit of [...visits, eve]) visit.leave()
    // everything is free again
    for (let n = 0; n < 9; n++) door.enter(LOCAL).beginBulk()
  })

  it('are refused once the server stops', () => {
    const door = new Admission(DEFAULT_LIMITS)
    door.stop()
    expect(() => door.enter(LOCAL)).toThrow(expect.objectContaining({ details: { reason: 'stopping' } }))
  })
})

describe('a door that closes', () => {
  it('knows when nobody is inside any more', async () => {
    const door = new Admission(DEFAULT_LIMITS)
    await door.settled()
    const visits = [door.enter(LOCAL), door.enter(LOCAL)]
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
  it('are limited for each caller, each tenant, and all', () => {
    const door = new Admission({ ...DEFAULT_LIMITS, streams: 6, streamsPerCaller: 2 })
    const end = door.follow(ADA)
    door.follow(ADA)
    expect(() => door.follow(ADA)).toThrow(expect.objectContaining({ code: 'TOO_MANY_STREAMS', details: { limit: 2 } }))
    door.follow(BOB)
    expect(() => door.follow(BOB)).toThrow(limited('streams'))
    end()
    // ending twice makes no room for two
    end()
    door.follow(BOB)
    expect(() => door.follow(ADA)).toThrow(limited('streams'))
    door.follow(EVE)
    for (const operator of ['one', 'two']) door.follow({ name: operator })
    expect(() => door.follow({ name: 'three' })).toThrow(busy)
  })
})
