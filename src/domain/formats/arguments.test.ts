import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../json.ts'
import { toArguments, toInput } from './arguments.ts'

const nested = fc
  .oneof(
    fc.string(),
    fc.jsonValue().map((value) => JSON.stringify(value)),
  )
  .chain((text) =>
    fc.nat(3).map((depth) => {
      let wrapped = text
      for (let i = 0; i < depth; i++) wrapped = JSON.stringify({ raw_arguments: wrapped })
      return wrapped
    }),
  )

describe.each(['object', 'any'] as const)('arguments where %s input is taken', (kind) => {
  it('come back from their value', () => {
    fc.assert(
      fc.property(nested, (text) => {
        const input = toInput(text, kind)
        const back = toArguments(input, kind)
        expect(toInput(back, kind)).toEqual(input)
        if (back !== text) expect(JSON.parse(back)).toEqual(JSON.parse(JSON.stringify(JSON.parse(text))))
      }),
    )
  })

  it('come back as their value', () => {
    const object = fc.dictionary(fc.string(), fc.jsonValue(), { noNullPrototype: true })
    const looksWrapped = nested.map((text) => ({ raw_arguments: text }))
    fc.assert(
      fc.property(fc.oneof(object, looksWrapped), (input) => {
        const plain = JSON.parse(JSON.stringify(input)) as Json
        expect(toInput(toArguments(plain, kind), kind)).toEqual(plain)
      }),
    )
  })
})

it('makes an object of whatever has to be one', () => {
  expect(toInput('[1]', 'object')).toEqual({ raw_arguments: '[1]' })
  expect(toInput('[1]', 'any')).toEqual([1])
  expect(toInput('{', 'any')).toEqual({ raw_arguments: '{' })
})
