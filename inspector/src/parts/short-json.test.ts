import { describe, expect, it } from 'vitest'
import type { Json } from '../api/types.ts'
import { shortJson, shortText } from './short-json.ts'

describe('a short value', () => {
  it('is its JSON on one line', () => {
    expect(shortJson({ a: [1, 'two', null], b: {}, c: { 'd e': true } })).toBe(
      '{ "a": [1, "two", null], "b": {}, "c": { "d e": true } }',
    )
    expect(shortJson('a\nb')).toBe('"a\\nb"')
    expect(shortJson([])).toBe('[]')
    expect(shortJson(undefined)).toBe('undefined')
  })

  it('ends at the limit without reading the rest', () => {
    const text = shortJson({ long: 'x'.repeat(1_000_000), never: 1 }, 40)
    expect(text).toHaveLength(41)
    expect(text.endsWith('x…')).toBe(true)
    const list = new Proxy(
      Array.from({ length: 100_000 }, (_, i) => i),
      {
        get: (target, key) => {
          if (Number(key) > 100) throw new Error(`looked at ${String(key)}`)
          return Reflect.get(target, key)
        },
      },
    )
    expect(shortJson(list, 40)).toMatch(/^\[0, 1, 2, .*…$/)
    expect(shortJson({ ['k'.repeat(100_000)]: 1 }, 10)).toHaveLength(11)
  })

  it('leaves a text as it is', () => {
    expect(['a\nb', undefined, true, ['x']].map((value) => shortText(value))).toEqual(['a\nb', '', 'true', '["x"]'])
    let deep: Json = 'x'
    for (let i = 0; i < 100; i++) deep = [deep]
    for (const value of ['x'.repeat(8_000_000), deep]) expect(shortText(value, 50)).toHaveLength(51)
  })
})
