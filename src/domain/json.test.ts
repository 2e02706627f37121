import { runInNewContext } from 'node:vm'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ThroughlineError, TooLargeError, ValidationError } from './errors.ts'
import { checkText, encodeJson } from './json.ts'
import { LIMITS } from './limits.ts'

const encode = (value: unknown, limit = 100_000) => encodeJson(value, 'parts', limit)

function refusal(value: unknown): { field?: string; message: string } {
  try {
    encode(value)
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError)
    return error as ValidationError
  }
  throw new Error('was not refused')
}

/** Arrays in arrays, `depth` of them. */
function nested(depth: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = [value]
  return value
}

const keepable = (text: string) => !text.includes('\0')
const anyText = fc.string({ unit: 'binary', maxLength: 6 }).filter(keepable)
const anyJson = fc
  .jsonValue({ stringUnit: 'binary' })
  .filter((value) => !/\\u0000|"__proto__":/.test(JSON.stringify(value)))
const { tree: anyTreeWithZeros } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'medium' },
    fc.constantFrom<unknown>(-0, 0, 1.5, 'x', '-0', null, false),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(
      anyText.filter((key) => key !== '__proto__'),
      tie('tree'),
      { maxKeys: 3, noNullPrototype: true },
    ),
  ),
}))

function expectSameBack(value: unknown): void {
  const back: unknown = JSON.parse(encode(value))
  expect(back).toStrictEqual(value)
  // the text of both has the keys in the order they stand
  expect(JSON.stringify(back)).toBe(JSON.stringify(value))
}

describe('JSON text', () => {
  it('reads back as the same value, whatever the value', () => {
    fc.assert(fc.property(anyJson, expectSameBack), { numRuns: 2000 })
  })

  it('keeps the sign of zero wherever it stands', () => {
    expect(encode(-0)).toBe('-0')
    expect(encode({ b: [-0, 0, 'a'], a: { c: -0 } })).toBe('{"b":[-0,0,"a"],"a":{"c":-0}}')
    fc.assert(fc.property(anyTreeWithZeros, expectSameBack), { numRuns: 2000 })
  })

  it('is that of JSON.stringify where no zero is negative', () => {
    fc.assert(
      fc.property(anyJson, (value) => {
        fc.pre(!encode(value).includes('-0'))
        expect(encode(value)).toBe(JSON.stringify(value))
      }),
    )
  })

  it('keeps the order of keys', () => {
    expect(encode({ b: 1, a: 2, Z: 3 })).toBe('{"b":1,"a":2,"Z":3}')
  })

  it('leaves out properties that are undefined', () => {
    expect(encode({ a: undefined, b: 1, c: undefined })).toBe('{"b":1}')
    expect(encode({ a: undefined, b: -0, c: undefined })).toBe('{"b":-0}')
  })

  it('is made of objects without a prototype, and of those of another realm, as of any other', () => {
    expect(encode(Object.assign(Object.create(null), { a: 1 }))).toBe('{"a":1}')
    expect(encode(runInNewContext('({ a: [1, { b: "c" }] })'))).toBe('{"a":[1,{"b":"c"}]}')
  })

  it(`has ${LIMITS.members} members and items at all levels together, and no more`, () => {
    const half = Array(LIMITS.members / 2 - 1).fill(0)
    const value = (more: number) => ({
      list: half,
      object: Object.fromEntries(
        Array(half.length + more)
          .fill(0)
          .entries(),
      ),
    })
    expect(() => encodeJson(value(0), 'parts', LIMITS.parts)).not.toThrow()
    expect(() => encodeJson(value(1), 'parts', LIMITS.parts)).toThrow(
      'parts: must have at most 50000 members and items, at all levels together',
    )
  })

  it('takes a value that occurs twice', () => {
    const shared = { a: 1 }
    expect(encode([shared, shared])).toBe('[{"a":1},{"a":1}]')
  })

  it('leaves the value as it was', () => {
    const value = Object.freeze({ a: undefined, b: Object.freeze([-0]) })
    encode(value)
    expect(value).toStrictEqual({ a: undefined, b: [-0] })
  })
})

describe('what is not JSON', () => {
  class Point {
    x = 1
  }
  const nameless = Object.create(Object.create(Object.create(null)))

  it.each<[string, unknown, string]>([
    ['undefined', undefined, 'parts: must be JSON, not undefined'],
    ['NaN', Number.NaN, 'parts: must be JSON, not NaN'],
    ['Infinity', Number.POSITIVE_INFINITY, 'parts: must be JSON, not Infinity'],
    ['-Infinity', Number.NEGATIVE_INFINITY, 'parts: must be JSON, not -Infinity'],
    ['a bigint', 1n, 'parts: must be JSON, not bigint'],
    ['a function', () => 1, 'parts: must be JSON, not function'],
    ['a symbol', Symbol('s'), 'parts: must be JSON, not symbol'],
    ['a date', new Date(0), 'parts: must be JSON, not an instance of Date'],
    ['a map', new Map(), 'parts: must be JSON, not an instance of Map'],
    ['a boxed text', Object('text'), 'parts: must be JSON, not an instance of String'],
    ['an instance of a class', new Point(), 'parts: must be JSON, not an instance of Point'],
    ['an instance of nothing named', nameless, 'parts: must be JSON, not an instance of a class'],
  ])('%s is refused, also inside', (_, value, message) => {
    expect(refusal(value).message).toBe(message)
    expect(refusal([value]).message).toBe(message.replace('parts', 'parts[0]'))
    if (value !== undefined) expect(refusal({ a: value }).message).toBe(message.replace('parts', 'parts.a'))
  })

  it('names the path of the first thing that is wrong', () => {
    expect(refusal({ a: 1, b: [0, { c: [true, Number.NaN] }], d: 1n }).field).toBe('parts.b[1].c[1]')
  })

  it('truncates long paths in messages', () => {
    expect(refusal({ a: { ['k'.repeat(300)]: { b: [1n] } } }).field).toBe('parts.a…')
    expect(refusal({ ['k'.repeat(250)]: 1n }).field).toBe(`parts.${'k'.repeat(250)}`)
    expect(refusal({ ['k'.repeat(251)]: 1n }).field).toBe('parts…')
  })

  it('refuses a hole in a list as it refuses undefined', () => {
    const sparse: unknown[] = [1]
    sparse[2] = 3
    expect(refusal({ list: sparse }).field).toBe('parts.list[1]')
    expect(refusal({ list: [1, undefined, 3] }).field).toBe('parts.list[1]')
  })

  it('refuses a toJSON method', () => {
    expect(refusal({ a: 1, toJSON: () => 'b' }).field).toBe('parts.toJSON')
  })

  it("refuses a key named '__proto__', which would not come back as one", () => {
    const value: unknown = JSON.parse('{"a":[{"__proto__":{"b":1}}]}')
    expect(refusal(value)).toMatchObject({
      field: 'parts.a[0]',
      message: "parts.a[0]: must not have a key named '__proto__'",
    })
  })

  it('never repeats the value', () => {
    expect(refusal({ a: 'secret\0' }).message).not.toContain('secret')
    expect(refusal({ a: 'secret\ud800' }).message).not.toContain('secret')
  })
})

describe('text that some store could not give back', () => {
  it('is refused for NUL, as a value and as a key', () => {
    expect(refusal({ a: ['ok', 'a\0b'] })).toMatchObject({
      field: 'parts.a[1]',
      message: 'parts.a[1]: must not contain the character NUL (U+0000)',
    })
    expect(refusal({ a: { 'b\0': 1 } }).field).toBe('parts.a')
  })

  it.each(['\ud800', '\udc00', 'a\ud83d', '\ude00\ud83d'])('is refused for the lone surrogate in %j', (text) => {
    expect(refusal({ a: text })).toMatchObject({
      field: 'parts.a',
      message: 'parts.a: must be well-formed Unicode (it has a lone surrogate)',
    })
    expect(refusal({ a: { [text]: undefined } }).field).toBe('parts.a')
  })

  it('is not any other text', () => {
    expect(() => checkText('', 'content')).not.toThrow()
    fc.assert(fc.property(anyText, (text) => checkText(text, 'content')))
  })
})

describe('nesting', () => {
  it(`goes ${LIMITS.depth} levels deep and no further`, () => {
    expect(JSON.parse(encode(nested(LIMITS.depth)))).toStrictEqual(nested(LIMITS.depth))
    expect(refusal(nested(LIMITS.depth + 1))).toMatchObject({
      field: `parts${'[0]'.repeat(83)}…`,
      message: expect.stringContaining('nests deeper than 100 levels'),
    })
  })

  it('is counted through objects and lists alike', () => {
    let value: unknown = 1
    for (let level = 0; level < LIMITS.depth; level++) value = level % 2 === 0 ? { a: value } : [value]
    expect(() => encode(value)).not.toThrow()
    expect(refusal({ value }).message).toContain('nests deeper')
  })

  it('is refused, not followed, when it has ten thousand levels or no end', () => {
    expect(refusal(nested(10_000)).message).toContain('nests deeper')
    const circle: { self?: unknown; list: unknown[] } = { list: [] }
    circle.self = circle
    expect(refusal(circle).message).toContain('is circular')
    const list: unknown[] = []
    list.push(list, list)
    expect(refusal(list).message).toContain('is circular')
  })
})

describe('size', () => {
  function tooLarge(value: unknown, limit: number): TooLargeError {
    try {
      encode(value, limit)
    } catch (error) {
      expect(error).toBeInstanceOf(TooLargeError)
      return error as TooLargeError
    }
    throw new Error('was accepted')
  }

  it('is that of the text, and may be the limit but not more', () => {
    expect(encode('abc', 5)).toBe('"abc"')
    expect(tooLarge('abcd', 5).details).toEqual({ field: 'parts', limit: 5, actual: 6 })
    expect(tooLarge(['\n'], 5).details).toEqual({ field: 'parts', limit: 5, actual: 6 })
    expect(tooLarge([-0], 3).details).toEqual({ field: 'parts', limit: 3, actual: 4 })
    expect(encode({ absent: undefined }, 2)).toBe('{}')
  })

  it('is detected early in a value that contains itself a million times', () => {
    let value: unknown = 'leaf'
    for (let level = 0; level < 26; level++) value = [value, value]
    expect(tooLarge(value, 1000).details).toMatchObject({ field: 'parts', limit: 1000 })
    const long = 'x'.repeat(2 ** 20)
    expect(tooLarge(Array(1000).fill(long), LIMITS.parts).details.actual).toBeGreaterThan(LIMITS.parts)
    expect(tooLarge(Array(1000).fill({ [long]: 1 }), LIMITS.parts).details.actual).toBeGreaterThan(LIMITS.parts)
  })

  it('is refused with an error of ours, like all that is refused', () => {
    expect(tooLarge('abcd', 1)).toBeInstanceOf(ThroughlineError)
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true }), (value) => {
        try {
          JSON.parse(encode(value, 50))
        } catch (error) {
          expect(error).toBeInstanceOf(ThroughlineError)
        }
      }),
      { numRuns: 2000 },
    )
  })
})
