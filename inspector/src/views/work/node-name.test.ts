import { describe, expect, it } from 'vitest'
import { parseGraphQuery } from './graph-query.ts'
import { displayName, extendTrail, fileNode, splitNode, truncateMiddle } from './node-name.ts'

describe('node names', () => {
  it('are split at the first colon', () => {
    expect(splitNode('file:c:/a.ts')).toEqual({ kind: 'file', name: 'c:/a.ts' })
    expect(splitNode('nothing')).toEqual({ kind: '', name: 'nothing' })
  })

  it('show the text of a note and the task of the session if known', () => {
    const texts = new Map([['n1', 'Use B']])
    expect(displayName('note:n1', texts, undefined)).toBe('Use B')
    expect(displayName('decision:n1', texts, undefined)).toBe('Use B')
    expect(displayName('note:n2', texts, undefined)).toBe('n2')
    expect(displayName('file:n1', texts, undefined)).toBe('n1')
    expect(displayName('task:session', texts, 'Plan a trip')).toBe('Plan a trip')
    expect(displayName('task:session', texts, undefined)).toBe('session')
  })

  it('lose their middle when too long, and never half a character', () => {
    expect(truncateMiddle('abcdefghij', 10)).toBe('abcdefghij')
    expect(truncateMiddle('abcdefghijk', 5)).toBe('ab…jk')
    expect(truncateMiddle('a😀bcdefgh😀k', 5)).toBe('a…k')
  })

  it('name a file only if the server accepts the node', () => {
    expect(fileNode('a.ts')).toBe('file:a.ts')
    expect(fileNode('a'.repeat(401))).toBeUndefined()
  })
})

describe('extendTrail', () => {
  it('adds new nodes, returns to known ones, and has a maximum length', () => {
    expect(extendTrail(['a'], 'b')).toEqual(['a', 'b'])
    expect(extendTrail(['a', 'b', 'c'], 'b')).toEqual(['a', 'b'])
    expect(extendTrail([...'abcdefgh'], 'i')).toEqual([...'bcdefghi'])
  })
})

describe('parseGraphQuery', () => {
  it('defaults to the task, depth 2 and both directions', () => {
    const none = { node: 'task:session', depth: 2, direction: 'both', labels: [], as: 'diagram' }
    expect(parseGraphQuery(new URLSearchParams())).toEqual(none)
    expect(parseGraphQuery(new URLSearchParams('node=&depth=9&direction=up&labels=,A-b,&as=x'))).toEqual(none)
  })

  it('reads the address', () => {
    expect(parseGraphQuery(new URLSearchParams('node=file:a&depth=4&direction=in&labels=calls,reads&as=list'))).toEqual(
      {
        node: 'file:a',
        depth: 4,
        direction: 'in',
        labels: ['calls', 'reads'],
        as: 'list',
      },
    )
  })
})
