import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Json } from '../../api/types.ts'
import { type Change, diffJson, formatPath } from './json-diff.ts'

/** Applies changes to the old value, outer ones first. Removals in a list go last to first, so earlier indexes hold. */
function patched(old: Json, changes: readonly Change[]): Json {
  let root = structuredClone(old)
  const removed = changes.filter(({ op }) => op === 'removed').toReversed()
  const others = changes.filter(({ op }) => op !== 'removed')
  for (const change of [...removed, ...others].toSorted((a, b) => a.path.length - b.path.length)) {
    const last = change.path.at(-1)
    if (last === undefined) {
      root = change.op === 'removed' ? null : change.value
      continue
    }
    const step = (value: unknown, key: string | number) => (value as Record<string, unknown>)[key]
    const parent = change.path.slice(0, -1).reduce<unknown>(step, root) as Record<string, Json> | Json[]
    if (Array.isArray(parent)) {
      const [put, out] = change.op === 'removed' ? [[], 1] : [[change.value], change.op === 'added' ? 0 : 1]
      parent.splice(Number(last), out, ...put)
    } else if (change.op === 'removed') delete parent[last]
    else parent[last] = change.value
  }
  return root
}

const key = fc.oneof(fc.constantFrom('a', 'b', 'id', 'd e', '0', ''), fc.string()).filter((k) => k !== '__proto__')
const { json } = fc.letrec<{ json: Json }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<Json>(null, true, 0, 1, 'x', 'y'),
    fc.array(tie('json'), { maxLength: 5 }),
    fc.dictionary(key, tie('json'), { maxKeys: 5, noNullPrototype: true }),
  ),
}))

describe('diffJson', () => {
  it('gives changes that turn one value into the other', () => {
    fc.assert(
      fc.property(json, json, (old, value) => {
        const { changes, isTruncated } = diffJson(old, value, Number.MAX_SAFE_INTEGER)
        expect(isTruncated).toBe(false)
        expect(patched(old, changes)).toEqual(value)
      }),
      { numRuns: 1000 },
    )
  })

  it('finds no change in a copy', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(diffJson(value, structuredClone(value)).changes).toEqual([])
      }),
    )
  })

  it('names additions, removals and changes by path', () => {
    const old = { task: 'a', files: ['x', 'y', 'z'], gone: 1, same: { deep: [1] } }
    const value = { task: 'b', files: ['x', 'z'], same: { deep: [1] }, more: { k: true } }
    expect(diffJson(old, value).changes).toEqual([
      { op: 'changed', path: ['task'], old: 'a', value: 'b' },
      { op: 'removed', path: ['files', 1], old: 'y' },
      { op: 'removed', path: ['gone'], old: 1 },
      { op: 'added', path: ['more'], value: { k: true } },
    ])
    expect(diffJson([1, 2, 3], [0, 1, 2, 3]).changes).toEqual([{ op: 'added', path: [0], value: 0 }])
    expect(diffJson({ a: [] }, { a: {} }).changes).toEqual([{ op: 'changed', path: ['a'], old: [], value: {} }])
  })

  it('separates inserted and removed list items from changed ones', () => {
    const item = (id: number, done = false) => ({ id, text: `Item ${id}`, done })
    const old = [item(1), item(2), item(3), item(4)]
    const value = [item(9), item(1), item(2, true), item(4), item(5)]
    expect(diffJson(old, value).changes).toEqual([
      { op: 'added', path: [0], value: item(9) },
      { op: 'changed', path: [2, 'done'], old: false, value: true },
      { op: 'removed', path: [2], old: item(3) },
      { op: 'added', path: [4], value: item(5) },
    ])
    expect(diffJson(['a', 'b', 'c', 'd'], ['x', 'a', 'b', 'c', 'y']).changes).toEqual([
      { op: 'added', path: [0], value: 'x' },
      { op: 'changed', path: [4], old: 'd', value: 'y' },
    ])
  })

  it('is fast for long lists without common items', () => {
    const list = (by: number) => Array.from({ length: 100_000 }, (_, i) => i * by + 1)
    expect(diffJson(list(2), [0, ...list(-2)]).changes).toHaveLength(200)
  })

  it('stops at the maximum and says so', () => {
    const many = (by: number) => Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`key ${i}`, i * by]))
    const { changes, isTruncated } = diffJson(many(1), many(2), 200)
    expect(changes).toHaveLength(200)
    expect(isTruncated).toBe(true)
    expect(diffJson([1, 2], [3, 4], 2)).toMatchObject({ isTruncated: false })
  })
})

describe('formatPath', () => {
  it('writes a path as in code', () => {
    expect(formatPath(['a', 'b', 2, 'c d', '0'])).toBe('a.b[2]["c d"]["0"]')
    expect(formatPath([0, 'a'])).toBe('[0].a')
    expect(formatPath([])).toBe('')
    expect(formatPath(['x'.repeat(1000)]).length).toBeLessThan(90)
  })
})
