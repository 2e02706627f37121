import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../json.ts'
import { applyDifference, diffJson } from './difference.ts'

const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.jsonValue(), {
  noNullPrototype: true,
}) as fc.Arbitrary<Json>

describe('a difference', () => {
  it('turns the one into the other', () => {
    fc.assert(
      fc.property(object, object, (before, after) => {
        expect(applyDifference(before, diffJson(before, after))).toEqual(after)
      }),
    )
  })

  it('is none between equals', () => {
    fc.assert(
      fc.property(object, (value) => {
        expect(diffJson(value, structuredClone(value))).toBeUndefined()
      }),
    )
  })

  it('holds what is new and repeats nothing', () => {
    const before = { role: 'user', content: [{ type: 'text', text: 'long' }, { type: 'image' }] }
    const after = { content: [{ type: 'text', text: 'long', cache: true }, { type: 'image' }], name: 'ada' }
    expect(diffJson(before, after)).toEqual({
      set: { name: 'ada' },
      drop: ['role'],
      in: { content: { in: { 0: { set: { cache: true } } } } },
    })
  })
})
