import { describe, expect, it } from 'vitest'
import type { Json } from '../api/types.ts'
import { formatJson, indentJson } from './json-text.ts'

describe('JSON that came as a text', () => {
  it('is indented like a value', () => {
    for (const value of [{}, [], { a: [1, 'x, {y}: "z\\', { b: null }], c: {} }, [[], [true, -1.5e3]]]) {
      for (const text of [JSON.stringify(value), JSON.stringify(value, null, '\t')]) {
        expect(indentJson(text)).toBe(JSON.stringify(value, null, 2))
      }
    }
  })

  it('keeps every character but whitespace', () => {
    expect(indentJson('{"id":12345678901234567890,"a":1,"a":2,"n":1e400,"f":1.0,"u":"\\u0041"}')).toBe(
      '{\n  "id": 12345678901234567890,\n  "a": 1,\n  "a": 2,\n  "n": 1e400,\n  "f": 1.0,\n  "u": "\\u0041"\n}',
    )
  })

  it('is left alone if it is no JSON, a plain value, or nested too deep', () => {
    for (const text of ['', 'ls -l', '{"a":', '[1,]', '"text"', '7', 'null']) expect(indentJson(text)).toBeUndefined()
    expect(indentJson('['.repeat(9000) + ']'.repeat(9000))).toBeUndefined()
  })
})

describe('a value as indented JSON', () => {
  it('works at any depth', () => {
    expect(formatJson({ a: [1] })).toBe('{\n  "a": [\n    1\n  ]\n}')
    let deep: Json = 'x'
    for (let i = 0; i < 20_000; i++) deep = [deep]
    expect(formatJson(deep)).toMatch(/^\[{1000,}…$/)
  })
})
