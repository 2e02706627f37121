import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RESERVED_KEYS } from './envelope.ts'
import { encodeJson, type JsonObject } from './json.ts'
import { applyLegacyEvent, type LegacyEvent, type LegacySession, newLegacySession } from './legacy.ts'

const fold = (events: readonly LegacyEvent[]): LegacySession => events.reduce(applyLegacyEvent, newLegacySession('s'))

/** The session after these payloads, a second apart. */
const folded = (...payloads: unknown[]): LegacySession =>
  fold(payloads.map((payload, n) => ({ occurredAt: `2025-01-01T00:00:0${n}.000Z`, payload })))

const said = (fields: JsonObject = {}) => ({ role: 'user', ...fields })

/** Arrays in arrays, `depth` of them. */
function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

describe('a session of an older system', () => {
  it('is empty before its first event', () => {
    expect(newLegacySession('s')).toEqual({
      id: 's',
      personaId: '',
      metadata: {},
      analysis: {},
      events: 0,
      problems: [],
    })
  })

  it('has the times of its first and its last event, and their number', () => {
    expect(folded(said(), { role: 'tool' }, said())).toMatchObject({
      createdAt: '2025-01-01T00:00:00.000Z',
      updatedAt: '2025-01-01T00:00:02.000Z',
      events: 3,
    })
    const untimed = fold([{ payload: said() }, { occurredAt: '2025-01-01T00:00:00.000Z', payload: said() }])
    expect(untimed).toMatchObject({ createdAt: '2025-01-01T00:00:00.000Z', events: 2, problems: [] })
  })

  it('takes the document of the messaging gateway', () => {
    const analysis = { intent: 'plan', sentiment: 'neutral', tags: ['trip'], model: 'm1' }
    const metadata = { tenant: 'acme', subject: 'ada', issuer: 'https://id', scope: 'chat', analysis, channel: 'web' }
    const session = folded({
      event_id: 'e',
      session_id: 's',
      persona_id: 'guide',
      role: 'user',
      message: 'hi',
      metadata,
    })
    expect(session).toEqual({
      id: 's',
      personaId: 'guide',
      tenant: 'acme',
      subject: 'ada',
      issuer: 'https://id',
      scope: 'chat',
      metadata: { channel: 'web' },
      analysis,
      createdAt: '2025-01-01T00:00:00.000Z',
      updatedAt: '2025-01-01T00:00:00.000Z',
      events: 1,
      problems: [],
    })
  })
})

describe('identity', () => {
  it('is the first that is not empty, of any event', () => {
    const session = folded(
      { role: 'tool', metadata: { tenant: '', subject: null, issuer: ' ' } },
      { role: 'system', metadata: { tenant: 'acme' } },
      said({ metadata: { tenant: 'other', subject: 'ada' } }),
      said({ subject: 'bob', scope: 'chat' }),
    )
    expect(session).toMatchObject({ tenant: 'acme', subject: 'ada', scope: 'chat', problems: [] })
    expect(session).not.toHaveProperty('issuer')
  })

  it('stands at the top of the payload before its metadata, and in a column before both', () => {
    const payload = said({
      tenant: 'top',
      subject: 'top',
      metadata: { tenant: 'deep', subject: 'deep', issuer: 'deep' },
    })
    const session = fold([{ payload, columns: { tenant: 'column' } }])
    expect(session).toMatchObject({ tenant: 'column', subject: 'top', issuer: 'deep' })
  })

  it('that is not text is left out and named', () => {
    expect(folded(said({ tenant: 7, metadata: { tenant: 'acme' } }))).toMatchObject({
      tenant: 'acme',
      problems: ['tenant is not text'],
    })
  })
})

describe('persona and analysis', () => {
  it('are those of the newest message that has one', () => {
    const session = folded(
      said({ persona_id: 'first', metadata: { analysis: { intent: 'ask', tags: ['a'] } } }),
      { type: 'assistant', persona_id: 'second', analysis: { sentiment: 'glad' } },
      { type: 'user_message', persona_id: null, metadata: { analysis: null } },
      { role: 'Assistant', persona_id: '', analysis: {} },
      { role: 'tool', persona_id: 'tool', analysis: { intent: 'run' } },
      { persona_id: 'nobody' },
    )
    expect(session).toMatchObject({ personaId: 'second', analysis: { sentiment: 'glad' }, problems: [] })
    expect(session.analysis).not.toHaveProperty('intent')
  })

  it('lose malformed keys and name them', () => {
    const session = folded(
      said({ persona_id: 3, analysis: { intent: 1, sentiment: ['x'], tags: ['a', 2], model: 'm1', score: 0.5 } }),
      said({ analysis: 'none' }),
      said({ analysis: { intent: null, tags: null } }),
    )
    expect(session.analysis).toEqual({ model: 'm1', score: 0.5 })
    expect(session.problems).toEqual([
      'persona_id is not text',
      'analysis.intent is not text',
      'analysis.sentiment is not text',
      'analysis.tags is not a list of texts',
      'analysis is not an object',
    ])
  })
})

describe('an analysis', () => {
  it('may say of a key that there is none', () => {
    const session = folded(said({ analysis: { intent: null, sentiment: null, tags: null, model: 'm1' } }))
    expect(session).toMatchObject({ analysis: { model: 'm1' }, problems: [] })
    expect(Object.keys(session.analysis)).toEqual(['model'])
  })
})

describe('metadata', () => {
  it('is merged from old to new, with null as a value', () => {
    const session = folded(
      said({ metadata: { a: { b: 1, c: [1, 2] }, d: { e: 1 }, f: 1, g: null } }),
      said({ metadata: { a: { c: [3], h: { i: 1 } }, d: null, f: { j: 1 } } }),
      { role: 'tool', metadata: { f: 'tool' } },
    )
    expect(session.metadata).toEqual({ a: { b: 1, c: [3], h: { i: 1 } }, d: null, f: { j: 1 }, g: null })
  })

  it('has no reserved key at its top, and may have them below', () => {
    const reserved = Object.fromEntries(RESERVED_KEYS.map((key) => [key, 'x']))
    const session = folded(said({ metadata: { ...reserved, mine: reserved } }))
    expect(session.metadata).toEqual({ mine: reserved })
  })

  it('cannot reach the prototype of anything', () => {
    const metadata = '{"__proto__":{"bad":1},"constructor":{"prototype":{"bad":1}},"a":{"__proto__":{"bad":1},"b":1}}'
    const session = folded(said({ metadata }), said({ metadata }))
    expect(JSON.stringify(session.metadata)).toBe('{"constructor":{"prototype":{"bad":1}},"a":{"b":1}}')
    expect(session.problems).toEqual(["metadata has a key named '__proto__': left out"])
    expect(({} as Record<string, unknown>)['bad']).toBeUndefined()
    expect(Object.prototype.constructor).toBe(Object)
  })

  it('has text that every store can give back', () => {
    const session = folded(said({ tenant: 'a\0b', metadata: { 'k\0': ['\ud800x'], fine: 'ä😀' } }))
    expect(session).toMatchObject({ tenant: 'a\ufffdb', metadata: { 'k\ufffd': ['\ufffdx'], fine: 'ä😀' } })
    expect(session.problems).toEqual([
      'tenant has text with NUL or a lone surrogate: replaced by U+FFFD',
      'metadata has text with NUL or a lone surrogate: replaced by U+FFFD',
    ])
  })

  it('has no number beyond those of JSON, and no more levels than can be walked', () => {
    const session = folded(
      `{"role":"user","metadata":{"n":[1e999,-0.5]}}`,
      said({ metadata: { deep: nested(1e5) } as never }),
    )
    expect(session.metadata['n']).toEqual([null, -0.5])
    expect(JSON.stringify(session.metadata['deep'])).toMatch(/^\[{999}null\]+$/)
    expect(session.problems).toEqual([
      'metadata has a number that is too large: replaced by null',
      'metadata nests deeper than 1000 levels: cut there',
    ])
  })

  it('is a copy: the input stays unchanged', () => {
    const first = said({ metadata: { a: { b: 1 }, tenant: 't' } })
    const before = structuredClone(first)
    folded(first, said({ metadata: { a: { b: 2 } } }))
    expect(first).toEqual(before)
  })
})

describe('a payload', () => {
  it('may be text, once or twice over, and so may metadata and analysis', () => {
    const payload = JSON.stringify(said({ persona_id: 'p', metadata: '{"a":1}', analysis: '{"intent":"ask"}' }))
    for (const given of [payload, JSON.stringify(payload)]) {
      expect(folded(given)).toMatchObject({
        personaId: 'p',
        metadata: { a: 1 },
        analysis: { intent: 'ask' },
        problems: [],
      })
    }
  })

  it('may be missing where there are columns', () => {
    const columns = { role: 'user', persona_id: 'p', metadata: '{"a":1}', tenant: 'acme' }
    expect(fold([{ columns }])).toMatchObject({ personaId: 'p', tenant: 'acme', metadata: { a: 1 }, problems: [] })
    expect(fold([{ payload: null, columns }])).toMatchObject({ personaId: 'p', problems: [] })
    expect(fold([{ payload: 'nonsense', columns }])).toMatchObject({
      personaId: 'p',
      problems: ['payload is not an object'],
    })
  })

  it('that is no object counts as an event and gives nothing else', () => {
    for (const payload of [undefined, null]) expect(folded(payload).problems).toEqual(['payload is missing'])
    for (const payload of ['', 'x', '[1]', 7, true, [said()]]) {
      expect(folded(payload, payload)).toMatchObject({ events: 2, problems: ['payload is not an object'] })
    }
    expect(folded(said({ metadata: [1] })).problems).toEqual(['metadata is not an object'])
  })

  it('of any kind is taken without an error, and what comes out can be stored', () => {
    const json = fc.jsonValue({ stringUnit: 'binary' })
    const field = fc.constantFrom('role', 'type', 'persona_id', 'metadata', 'analysis', '__proto__', ...RESERVED_KEYS)
    const role = fc.constantFrom('user', 'assistant', 'tool', 'type')
    const likely = fc.dictionary(field, fc.oneof(json, fc.dictionary(field, json), role))
    const payload = fc.oneof(
      json,
      likely,
      likely.map((value) => ({ role: 'user', ...value })),
      fc.anything(),
    )
    fc.assert(
      fc.property(fc.array(payload, { maxLength: 6 }), (payloads) => {
        const session = fold(payloads.map((one) => ({ payload: one })))
        expect(session.events).toBe(payloads.length)
        expect(session.problems.length).toBeLessThanOrEqual(10)
        expect(Object.keys(session.metadata).filter((key) => RESERVED_KEYS.includes(key as never))).toEqual([])
        encodeJson(session, 'session', 1e7)
      }),
      { numRuns: 100 },
    )
  })
})

describe('the problems of a session', () => {
  it('are no more than ten', () => {
    const bad = 'x\0'
    const wrong = said({ tenant: 1, subject: 1, issuer: 1, scope: 1, persona_id: 1, metadata: { a: bad } })
    const analysis = { intent: 1, sentiment: 1, tags: 1, other: bad }
    const session = folded(wrong, said({ analysis }), said({ metadata: 1 }), 'x')
    expect(session.problems).toHaveLength(10)
    expect(new Set(session.problems).size).toBe(10)
  })
})
