import { describe, expect, it } from 'vitest'
import { RecentCache } from './recent-cache.ts'

describe('a cache of recent values', () => {
  it('keeps at least the last values, and at most twice as many', () => {
    const cache = new RecentCache<number>(3)
    for (let i = 0; i < 100; i++) cache.set(`${i}`, i)
    expect(['99', '98', '97'].map((key) => cache.get(key))).toEqual([99, 98, 97])
    expect(Array.from({ length: 94 }, (_, i) => cache.get(`${i}`)).every((value) => value === undefined)).toBe(true)
  })

  it('keeps what is used', () => {
    const cache = new RecentCache<string>(10)
    cache.set('used', 'value')
    for (let i = 0; i < 1000; i++) {
      expect(cache.get('used')).toBe('value')
      cache.set(`${i}`, 'other')
    }
  })
})
