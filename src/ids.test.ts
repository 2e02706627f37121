import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { uuid7 } from './ids.ts'

const bitsOf = (id: string) => BigInt(`0x${id.replaceAll('-', '')}`)
const anyTime = fc.integer({ min: 0, max: 2 ** 48 - 1 })

describe('a new id', () => {
  it('is a UUID of version 7 and of the variant of RFC 9562', () => {
    for (let i = 0; i < 10_000; i++) {
      expect(uuid7()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    }
  })

  it('begins with the time in milliseconds', () => {
    fc.assert(
      fc.property(anyTime, (now) => {
        expect(bitsOf(uuid7(now)) >> 80n).toBe(BigInt(now))
      }),
    )
    const before = Date.now()
    const time = Number(bitsOf(uuid7()) >> 80n)
    expect(time).toBeGreaterThanOrEqual(before)
    expect(time).toBeLessThanOrEqual(Date.now())
  })

  it('sorts behind every id of an earlier millisecond', () => {
    fc.assert(
      fc.property(anyTime, anyTime, (a, b) => {
        fc.pre(a !== b)
        const [earlier, later] = [uuid7(Math.min(a, b)), uuid7(Math.max(a, b))]
        expect(earlier < later).toBe(true)
      }),
    )
    expect(uuid7(1_769_851_800_000) < uuid7(1_769_851_800_001)).toBe(true)
  })

  it('is unlike 100,000 others of the same millisecond', () => {
    const ids = new Set(Array.from({ length: 100_000 }, () => uuid7(1_769_851_800_000)))
    expect(ids.size).toBe(100_000)
  })

  it('is random in all its other bits', () => {
    let ones = 0n
    let zeros = 0n
    for (let i = 0; i < 2000; i++) {
      const bits = bitsOf(uuid7(0))
      ones |= bits
      zeros |= ~bits
    }
    const fixed = (0xfn << 76n) | (0x3n << 62n)
    const random = ((1n << 80n) - 1n) & ~fixed
    expect(ones & zeros & random).toBe(random)
  })
})
