import { describe, expect, it } from 'vitest'
import type { Json, JsonObject } from '../../api/types.ts'
import { type Draft, fieldAt, formFor, InputError, textIn, valueIn } from './form-fields.ts'

const ORDER: JsonObject = {
  type: 'object',
  properties: {
    amount: { type: 'number', title: 'Amount', description: 'In euros' },
    count: { type: 'integer', default: 2 },
    urgent: { type: 'boolean' },
    size: { enum: ['small', 3, null] },
    notes: { type: 'array', items: { type: 'string' } },
    address: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    extra: { anyOf: [{ type: 'string' }, { type: 'null' }] },
  },
  required: ['amount', 'notes'],
}

const filledIn = (schema: JsonObject | undefined, draft: Draft) => valueIn(formFor(schema), draft)

describe('a form', () => {
  it('has a field for each property, by its type', () => {
    const { kind, fields = [] } = formFor(ORDER)
    expect(kind).toBe('group')
    expect(fields.map((field) => [field.name, field.kind, field.isRequired])).toEqual([
      ['value.amount', 'number', true],
      ['value.count', 'number', false],
      ['value.urgent', 'boolean', false],
      ['value.size', 'choice', false],
      ['value.notes', 'lines', true],
      ['value.address', 'group', false],
      ['value.extra', 'json', false],
    ])
    expect(fields[0]).toMatchObject({ label: 'Amount', hint: 'In euros' })
    expect(textIn({}, fields[1] as never)).toBe('2')
  })

  it('gives the value that was filled in, without what was left empty', () => {
    expect(filledIn(ORDER, { 'value.amount': '12.5' })).toEqual({ amount: 12.5, count: 2, notes: [] })
    const all: Draft = {
      'value.amount': '1',
      'value.count': '',
      'value.urgent': 'false',
      'value.size': 'null',
      'value.notes': 'one\n\n two',
      'value.address.city': 'Vienna',
      'value.extra': '{"a":1}',
    }
    expect(filledIn(ORDER, all)).toEqual({
      amount: 1,
      urgent: false,
      size: null,
      notes: ['one', ' two'],
      address: { city: 'Vienna' },
      extra: { a: 1 },
    })
  })

  it.each<[JsonObject | undefined, Draft, Json | undefined]>([
    [undefined, { value: '[1]' }, [1]],
    [{ type: 'boolean' }, { value: 'true' }, true],
    [{ type: 'string' }, { value: 'true' }, 'true'],
    [{ type: 'string' }, {}, undefined],
    [{ enum: ['a', 'b'] }, { value: '"b"' }, 'b'],
    [{ type: 'object' }, { value: '{}' }, {}],
  ])('has one field for a value that is no object: %j', (schema, draft, value) => {
    expect(filledIn(schema, draft)).toEqual(value)
  })

  it('names the field with text that is no number or no JSON', () => {
    const field = (draft: Draft) => {
      try {
        return filledIn(ORDER, draft)
      } catch (error) {
        return error instanceof InputError ? error.field : error
      }
    }
    expect(field({ 'value.amount': 'much' })).toBe('value.amount')
    expect(field({ 'value.extra': '{' })).toBe('value.extra')
  })

  it('finds the field of a path that the server names', () => {
    const form = formFor(ORDER)
    expect(fieldAt(form, 'value.notes[1]')?.name).toBe('value.notes')
    expect(fieldAt(form, 'value.address.city')?.name).toBe('value.address.city')
    expect(fieldAt(form, 'value.other')?.name).toBe('value')
    expect(fieldAt(form, 'id')).toBeUndefined()
  })
})
