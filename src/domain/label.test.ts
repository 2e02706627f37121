import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonObject } from './json.ts'
import { hasMembers, type LabelValue, labelOf, labelsOf, MAX_LABEL } from './label.ts'

test('labels are the simple members of the first level', () => {
  const metadata = { project: 'x', size: 3, done: false, gone: null, list: [1], deep: { project: 'y' } }
  expect(labelsOf(metadata)).toEqual(['["project","x"]', '["size",3]', '["done",false]', '["gone",null]'])
})

test('a member that is too long is no label', () => {
  const fits = MAX_LABEL - labelOf('a', '').length
  expect(labelsOf({ a: 'x'.repeat(fits) })).toHaveLength(1)
  expect(labelsOf({ a: 'x'.repeat(fits + 1), ['n'.repeat(MAX_LABEL)]: 1, b: 'y'.repeat(100_000) })).toEqual([])
})

test('a text is not equal to the number that looks like it', () => {
  expect(hasMembers({ size: 3 }, { size: '3' })).toBe(false)
  expect(hasMembers({ size: 3 }, { size: 3 })).toBe(true)
  expect(hasMembers({ gone: null }, { gone: null, other: null })).toBe(false)
  expect(hasMembers({}, { toString: 'x' })).toBe(false)
})

test('metadata has a member exactly if it has its label', () => {
  const simple = fc.oneof(
    fc.string({ maxLength: 20 }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
  )
  const metadata = fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.oneof(simple, fc.constant([1])))
  fc.assert(
    fc.property(metadata, fc.constantFrom('a', 'b', 'c', '__proto__'), simple, (given, name, value) => {
      // as stored: through JSON
      const stored = JSON.parse(JSON.stringify(given)) as JsonObject
      const wanted = JSON.parse(JSON.stringify({ [name]: value })) as Record<string, LabelValue>
      const [label = ''] = Object.entries(wanted).map(([key, each]) => labelOf(key, each))
      expect(labelsOf(stored).includes(label)).toBe(hasMembers(stored, wanted))
    }),
  )
})
