import { describe, expect, it } from 'vitest'
import { keyIn, principalIn } from '../http/headers.ts'
import { encodeSegment, queryString } from './path.ts'
import { buildHeaders, isRetrySafe, toJson } from './request.ts'

const refusal = (field: string, text: unknown) => expect.objectContaining({ code: 'VALIDATION', field, message: text })

describe('toJson', () => {
  it('writes JSON that reads back the same', () => {
    const value = { a: [1, -0, 'x', null], b: { c: true }, d: undefined }
    expect(JSON.parse(toJson(value))).toEqual({ a: [1, -0, 'x', null], b: { c: true } })
  })

  it.each<[what: unknown, name: string, field: string, text: string]>([
    [undefined, '', 'input', 'input: must be JSON, not undefined'],
    [{ parts: { a: [Number.NaN] } }, '', 'parts.a[0]', 'parts.a[0]: must be JSON, not NaN'],
    [{ metadata: { d: new Date(0) } }, '', 'metadata.d', 'metadata.d: must be JSON, not an instance of Date'],
    [
      [{}, { content: 'a\0' }],
      'events',
      'events[1].content',
      'events[1].content: must not contain the character NUL (U+0000)',
    ],
    [{ a: 1n }, 'patch', 'patch.a', 'patch.a: must be JSON, not bigint'],
    [{ input: { a: 1n } }, '', 'input.a', 'input.a: must be JSON, not bigint'],
  ])('names the field that is not JSON as the caller knows it', (value, name, field, text) => {
    expect(() => toJson(value, name)).toThrow(refusal(field, text))
  })

  it('allows the same depth as the server', () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) })
    expect(() => toJson({ parts: nested(100) })).not.toThrow()
    expect(() => toJson({ parts: nested(101) })).toThrow('nests deeper than 100 levels')
    expect(() => toJson([{ parts: nested(100) }], 'events', -1)).not.toThrow()
    expect(() => toJson([{ parts: nested(101) }], 'events', -1)).toThrow('nests deeper than 100 levels')
  })
})

describe('a path', () => {
  it('accepts any name except . and ..', () => {
    expect(encodeSegment('a/b ?#%é', 'id')).toBe('a%2Fb%20%3F%23%25%C3%A9')
    for (const name of ['.', '..']) expect(() => encodeSegment(name, 'userId')).toThrow(`userId: must not be '${name}'`)
    expect(new URL(`http://host/users/${encodeSegment('...', 'id')}/x`).pathname).toBe('/users/.../x')
  })

  it('has a query of the defined values, with lists as repeated keys', () => {
    expect(queryString({})).toBe('')
    expect(queryString({ a: undefined, b: '', c: 0, d: false, types: ['x.a', 'x b'] })).toBe(
      '?b=&c=0&d=false&types=x.a&types=x+b',
    )
  })
})

describe('buildHeaders', () => {
  const call = { method: 'POST', path: '/' } as const
  const none = { accept: 'application/json', token: undefined, principal: undefined }

  it.each(['k', '0199-ab', "it's; 'a' key", ' blanks ', '中文', 'a\nb', '%"k"', '%41', 'é', '"', 'tab\there'])(
    'encodes the key %j so that the server reads it',
    (key) => {
      const headers = new Headers(buildHeaders({ ...call, key }, none))
      expect(keyIn(Object.fromEntries(headers))).toEqual({ idempotencyKey: key })
    },
  )

  it('encodes a principal so that the server reads it', () => {
    const principal = { tenant: 'a & b', userId: 'ådå=1', issuer: 'https://login.test', scope: 'chat read' }
    const headers = new Headers(buildHeaders(call, { ...none, principal }))
    expect(principalIn(Object.fromEntries(headers))).toEqual(principal)
  })

  it('sets a content type only with a body', () => {
    expect(buildHeaders(call, none)).toEqual({ accept: 'application/json' })
    expect(buildHeaders({ ...call, body: '{}' }, none)).toEqual({
      accept: 'application/json',
      'content-type': 'application/json',
    })
  })

  it.each(['', 'two words', 'secret\n', 'sécret', 7])('rejects the token %j without printing it', (token) => {
    const rejected = refusal('token', expect.not.stringContaining('secret'))
    expect(() => buildHeaders(call, { ...none, token: token as string })).toThrow(rejected)
  })
})

describe('isRetrySafe', () => {
  it('allows reads, calls with a key, and idempotent calls', () => {
    const path = '/'
    expect(isRetrySafe({ method: 'GET', path })).toBe(true)
    expect(isRetrySafe({ method: 'DELETE', path })).toBe(false)
    expect(isRetrySafe({ method: 'POST', path })).toBe(false)
    expect(isRetrySafe({ method: 'POST', path, key: 'k' })).toBe(true)
    expect(isRetrySafe({ method: 'POST', path, idempotent: true })).toBe(true)
  })
})
