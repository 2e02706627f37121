import fc from 'fast-check'
import { expect, it, describe as suite } from 'vitest'
import { topIndexes } from './top-indexes.ts'

suite('best', () => {
  it('equals the start of the sorted list, without values below 0', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -2, max: 9 })), fc.integer({ min: 1, max: 12 }), (values, most) => {
        const sorted = values
          .map((value, n) => ({ value, n }))
          .filter(({ value }) => value >= 0)
          .sort((a, b) => b.value - a.value || a.n - b.n)
        const found = topIndexes(Float64Array.from(values), most, (a, b) => a - b)
        expect(found).toEqual(sorted.slice(0, most).map(({ n }) => n))
      }),
    )
  })
})
