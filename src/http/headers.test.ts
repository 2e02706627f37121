import { describe, expect, it } from 'vitest'
import { keyIn, principalIn } from './headers.ts'

describe('the header Idempotency-Key', () => {
  it.each([
    ['k-1', 'k-1'],
    ['', ''],
    ['"k"', '"k"'],
    ['50%', '50%'],
    ['%"gr%C3%BC%C3%9Fe"', 'grüße'],
    ['%""', ''],
  ])('%s is the key %s', (value, key) => {
    expect(keyIn({ 'idempotency-key': value })).toStrictEqual({ idempotencyKey: key })
  })

  it('may be absent, and must be UTF-8', () => {
    expect(keyIn({})).toStrictEqual({})
    expect(() => keyIn({ 'idempotency-key': '%"%c3%28"' })).toThrow(
      expect.objectContaining({ code: 'VALIDATION', field: 'idempotencyKey' }),
    )
  })
})

describe('the header Throughline-As', () => {
  it('names a tenant and a user', () => {
    expect(principalIn({ 'throughline-as': 'tenant=acme+inc&userId=%C3%A4da%26' })).toStrictEqual({
      tenant: 'acme inc',
      userId: 'äda&',
    })
    expect(principalIn({})).toBeUndefined()
  })
})
