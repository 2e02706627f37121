import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairLines } from './fair-lines.ts'

/** Adds items, each with its owner, and takes all of them. */
function orderOf(items: readonly (readonly [owner: string, item: string])[]): string[] {
  const lines = new FairLines<string>()
  for (const [owner, item] of items) lines.add(item, owner.split('/'))
  return Array.from(items, () => lines.next() ?? 'none')
}

describe('fair lines', () => {
  it('take one item of each owner in turn, and the items of an owner in order', () => {
    const many = Array.from({ length: 5 }, (_, i) => ['acme', `a${i}`] as const)
    expect(orderOf([...many, ['globex', 'g0'], ['globex', 'g1']])).toEqual(['a0', 'g0', 'a1', 'g1', 'a2', 'a3', 'a4'])
  })

  it('let the users of an owner take turns too, so that many users get no more than one', () => {
    const items = ['acme/ada 1', 'acme/ada 2', 'acme/bob 3', 'acme/cyd 4', 'globex/eve 5', 'globex/eve 6']
    expect(orderOf(items.map((text) => text.split(' ') as [string, string]))).toEqual(['1', '5', '3', '6', '4', '2'])
  })

  it('give an owner who comes later the turn after those who wait', () => {
    const lines = new FairLines<number>()
    for (const item of [1, 2, 3]) lines.add(item, ['acme'])
    expect(lines.next()).toBe(1)
    lines.add(4, ['globex'])
    expect([lines.next(), lines.next(), lines.size]).toEqual([2, 4, 1])
  })

  it('are empty at the end', () => {
    const lines = new FairLines<number>()
    expect([lines.size, lines.next()]).toEqual([0, undefined])
    lines.add(1, ['acme'])
    expect([lines.next(), lines.next(), lines.size]).toEqual([1, undefined, 0])
  })

  it('return every item once, and never one owner twice while another one waits', () => {
    const owners = fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 60 })
    fc.assert(
      fc.property(owners, (all) => {
        const lines = new FairLines<readonly [number, number]>()
        for (const [i, owner] of all.entries()) lines.add([owner, i], [owner])
        const taken = Array.from(all, () => lines.next() ?? [-1, -1])
        expect(taken.map(([, i]) => i).toSorted((a, b) => a - b)).toEqual([...all.keys()])
        for (const [at, [owner]] of taken.slice(1).entries()) {
          const left = new Set(taken.slice(at + 1).map(([one]) => one))
          if (taken[at]?.[0] === owner) expect(left.size).toBe(1)
        }
      }),
    )
  })
})
