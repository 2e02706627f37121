import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../domain/json.ts'
import { checkValue, requireCheckable } from './check-value.ts'

/** The field that is refused; `undefined` if the value fits. */
function wrongField(schema: JsonObject, value: Json): string | undefined {
  try {
    checkValue(schema, value)
    return undefined
  } catch (error) {
    return (error as { field: string }).field
  }
}

const nested = { type: 'object', properties: { a: { type: 'array', items: { type: 'integer' } } } }
const closed = { type: 'object', properties: { a: true }, additionalProperties: false }

describe('a value', () => {
  it.each<[JsonObject, Json, string | undefined]>([
    [{}, { a: [1] }, undefined],
    [{ type: 'string' }, 'x', undefined],
    [{ type: 'string' }, 1, 'value'],
    [{ type: ['string', 'null'], minLength: 2 }, null, undefined],
    [{ type: ['string', 'null'], minLength: 2 }, 'x', 'value'],
    [{ type: 'integer' }, 2, undefined],
    [{ type: 'integer' }, 2.5, 'value'],
    [{ type: 'number', exclusiveMinimum: 0, multipleOf: 0.01 }, 0.07, undefined],
    [{ type: 'number', exclusiveMinimum: 0 }, 0, 'value'],
    [{ enum: ['a', 1, null] }, null, undefined],
    [{ enum: ['a', 1, null] }, 'b', 'value'],
    [{ type: 'string', enum: ['a', 1] }, 1, 'value'],
    [{ const: false }, false, undefined],
    [{ type: 'string', format: 'date' }, '2026-02-30', 'value'],
    [{ type: 'string', format: 'of our own' }, 'x', undefined],
    [nested, { a: [1, 2] }, undefined],
    [nested, { a: [1, 'x'] }, 'value.a[1]'],
    [closed, { a: 1 }, undefined],
    [closed, { a: 1, b: 2 }, 'value.b'],
    [{ type: 'object', required: ['a'] }, {}, 'value.a'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, { a: 1 }, 'value.a'],
    [{ type: 'object', maxProperties: 1 }, { a: 1, b: 2 }, 'value'],
    [{ type: 'array', minItems: 1 }, [], 'value'],
    [{ type: 'array', uniqueItems: true }, [{ a: 1 }, { a: 1 }], 'value[1]'],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, 1, 'value'],
    [{ oneOf: [{ type: 'string' }, { type: 'string', minLength: 2 }] }, 'ab', 'value'],
    [{ type: 'string', allOf: [{ type: 'string', minLength: 2 }] }, 'a', 'value'],
    [{ anyOf: [{ type: 'string' }], oneOf: [{ const: 'a' }] }, 'b', 'value'],
    [{ $ref: '#/$defs/a', $defs: { a: nested } }, { a: [0.5] }, 'value.a[0]'],
    // an annotation changes nothing
    [{ type: 'object', properties: { a: { type: 'string', default: 'x' } }, required: ['a'] }, {}, 'value.a'],
  ])('is checked: %j, %j, %s', (schema, value, field) => {
    expect(wrongField(schema, value)).toBe(field)
  })

  it('is refused at once if its check would take long', () => {
    const branches = { anyOf: Array.from({ length: 100 }, () => ({ type: 'array', items: { type: 'string' } })) }
    expect(wrongField(branches, Array(50_000).fill(1))).toBe('value')
    const merged = { allOf: Array.from({ length: 100 }, () => ({ type: 'object' })) }
    expect(wrongField(merged, Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`${n}`, n])))).toBe('value')
  })
})

it('a schema in which references double at each level is refused', () => {
  const $defs = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `d${n}`,
      { anyOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
    ]),
  )
  expect(() => requireCheckable({ $ref: '#/$defs/d0', $defs: { ...$defs, d40: true } })).toThrow(/256/)
})
