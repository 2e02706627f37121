import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BLOCK_TURNS, blockOfTurn, decodePostings, encodePosting } from './postings.ts'

const places = fc.array(fc.integer({ min: 1, max: 60_000 }), { minLength: 1, maxLength: 40 })
const entry = fc.record({
  length: fc.integer({ min: 1, max: 40_000 }),
  asks: fc.boolean(),
  places: places.map((list) => list.toSorted((a, b) => a - b)),
})

describe('a block of postings', () => {
  it('decodes what was encoded, message by message', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: BLOCK_TURNS }), fc.integer({ min: 0, max: 5000 }), (entries, block) => {
        const messages = entries.map((each, i) => ({ session: 's', turn: block * BLOCK_TURNS + i, ...each }))
        const bytes = messages.map((message) => encodePosting(message))
        const data = Uint8Array.from(bytes.flatMap((part) => [...part]))
        expect(decodePostings('s', block, data)).toEqual(messages)
      }),
    )
  })

  it('encodes common values in few bytes', () => {
    expect(encodePosting({ turn: 300, length: 12, asks: false, places: [9] })).toHaveLength(4)
  })

  it('contains the turns between two borders', () => {
    expect([0, 255, 256, 511, 512].map(blockOfTurn)).toEqual([0, 0, 1, 1, 2])
  })
})
