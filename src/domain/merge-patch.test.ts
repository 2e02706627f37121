import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from './json.ts'
import { mergeObject, mergePatch } from './merge-patch.ts'

/** The table of appendix A of RFC 7396: original, patch, result. */
const VECTORS: [original: string, patch: string, result: string][] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
]

describe('a merge patch', () => {
  it.each(VECTORS)('RFC 7396: %s with %s is %s', (original, patch, result) => {
    expect(mergePatch(JSON.parse(original), JSON.parse(patch))).toEqual(JSON.parse(result))
  })

  it("RFC 7396: the example of section 3, a document's title, author, tags and phone", () => {
    const original = {
      title: 'Goodbye!',
      author: { givenName: 'John', familyName: 'Doe' },
      tags: ['example', 'sample'],
      content: 'This will be unchanged',
    }
    const patch = { title: 'Hello!', phoneNumber: '+01-123-456-7890', author: { familyName: null }, tags: ['example'] }
    expect(mergePatch(original, patch)).toEqual({
      title: 'Hello!',
      author: { givenName: 'John' },
      tags: ['example'],
      content: 'This will be unchanged',
      phoneNumber: '+01-123-456-7890',
    })
  })

  it('does not change its input', () => {
    const original = { a: { b: 1 }, c: [1] }
    const patch = { a: { d: { e: null } }, c: null }
    mergePatch(original, patch)
    expect([original, patch]).toEqual([
      { a: { b: 1 }, c: [1] },
      { a: { d: { e: null } }, c: null },
    ])
  })

  it('takes names that every object has as any other key', () => {
    const merged = mergeObject({}, { constructor: { prototype: 1 }, toString: 'a' })
    expect(Object.entries(merged)).toEqual([
      ['constructor', { prototype: 1 }],
      ['toString', 'a'],
    ])
  })

  it('is idempotent and adds no null', () => {
    const objects = fc.jsonValue().map((value) => value as Json)
    fc.assert(
      fc.property(objects, objects, (original, patch) => {
        const once = mergePatch(original, patch)
        expect(mergePatch(once, patch)).toEqual(once)
        expect(mergePatch(undefined, once)).toEqual(mergePatch(undefined, mergePatch(undefined, once)))
      }),
    )
  })
})
