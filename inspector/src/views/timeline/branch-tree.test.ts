import { describe, expect, it } from 'vitest'
import { type BranchNode, branchTree } from './branch-tree.ts'

const rewind = (sequence: number, to: number) => ({ sequence, to, reason: '', hidden: [] })
const branch = (from: number, to: number) => ({ from, to, at: '' })
/** Where each branch begins and ends, with those that left it. */
const shape = (nodes: readonly BranchNode[]): unknown[] =>
  nodes.map(({ after, stretches, children }) => [
    after,
    stretches.map(({ from, to }) => `${from}-${to}`).join(' '),
    ...shape(children),
  ])

describe('the tree of branches', () => {
  it('lists those that left the line at the same event one by one', () => {
    const rewinds = [rewind(11, 5), rewind(16, 5)]
    expect(shape(branchTree([branch(5, 15), branch(5, 10)], rewinds))).toEqual([
      [5, '6-10'],
      [5, '11-15'],
    ])
  })

  it('nests one that left another branch', () => {
    // 4 to 10, then from 8 on 11 to 14, then all of it was left at 3
    expect(shape(branchTree([branch(3, 14), branch(3, 10)], [rewind(11, 8), rewind(15, 3)]))).toEqual([
      [3, '4-10', [8, '11-14']],
    ])
  })

  it('follows a branch over rewinds whose ends are on no other branch', () => {
    expect(shape(branchTree([branch(3, 14)], [rewind(11, 8), rewind(15, 3)]))).toEqual([[3, '4-8 11-14']])
    expect(branchTree([], [])).toEqual([])
  })
})
