import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import excerpt from '../../../test/data/envelope/excerpt.json' with { type: 'json' }
import { createRequest } from '../../stores/conformance/samples.ts'
import { envelopeJsonSchema, envelopeSchema } from './schema.ts'

describe('the schema of envelopes', () => {
  it('is published as it is checked with: npm run schema writes it', () => {
    const file = readFileSync(new URL('../../../schemas/session-envelope.json', import.meta.url), 'utf8')
    expect(JSON.parse(file)).toEqual(envelopeJsonSchema())
  })

  it('says all that the excerpt of the contract says, and requires the same', () => {
    const schema = JSON.parse(JSON.stringify(envelopeJsonSchema()))
    // everything is allowed: the same, in the other way of saying it
    const open = { ...excerpt.properties.metadata, additionalProperties: {} }
    expect(schema).toMatchObject({ ...excerpt, properties: { ...excerpt.properties, metadata: open } })
    expect(Object.keys(schema.properties)).toEqual(Object.keys(excerpt.properties))
    expect(schema.required).toEqual(excerpt.required)
  })

  it('takes the envelope that a session begins with', () => {
    const { view } = createRequest({ metadata: { a: [1] } })
    expect(envelopeSchema().parse(view.envelope?.document)).toEqual(view.envelope?.document)
  })

  it.each([
    ['no session', { metadata: {}, timestamps: {} }],
    ['an id that is no UUID', { session_id: 'x', metadata: {}, timestamps: {} }],
    ['metadata that is a list', { session_id: crypto.randomUUID(), metadata: [], timestamps: {} }],
    ['no timestamps', { session_id: crypto.randomUUID(), metadata: {} }],
    [
      'tags that are no texts',
      { session_id: crypto.randomUUID(), metadata: {}, timestamps: {}, analysis: { tags: [1] } },
    ],
    ['a time that is none', { session_id: crypto.randomUUID(), metadata: {}, timestamps: { created_at: 'noon' } }],
  ])('refuses %s', (_, document) => {
    expect(envelopeSchema().safeParse(document).success).toBe(false)
  })
})
