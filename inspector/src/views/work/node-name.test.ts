import { describe, expect, it } from 'vitest'
import { parseGraphQuery } from './graph-query.ts'
import { displayName, extendTrail, fileNode, splitNode, truncateMiddle } from './node-name.ts'

describe('names of nodes', () => {
  it('are split at the first colon', () => {
    expect(splitNode('file:c:/a.ts')).toEqual({ kind: 'file', name: 'c:/a.ts' })
    expect(splitNode('nothing')).toEqual({ kind: '', name: 'nothing' })
  })

  it('are the words of a note and the task of the session, where these are known', () => {
    const texts = new Map([['n1', 'Use B']])
    expect(displayName('note:n1', texts, undefined)).toBe('Use B')
    expect(displayName('decision:n1', texts, undefined)).toBe('Use B')
    expect(displayName('note:n2', texts, undefined)).toBe('n2')
    expect(displayName('file:n1', texts, undefined)).toBe('n1')
    expect(displayName('task:session', texts, 'Plan a trip')).toBe('Plan a trip')
    expect(displayName('task:session', texts, undefined)).toBe('session')
  })

  it('lose their middle when they are long, and never half of a character', () => {
    expect(truncateMiddle('abcdefghij', 10)).toBe('abcdefghij')
    expect(truncateMiddle('abcdefghijk', 5)).toBe('ab…jk')
    expect(truncateMiddle('a😀bcdefgh😀k', 5)).toBe('a…k')
  })

  it('stand for a file only where the server takes them as they are', () => {
    expect(fileNode('a.ts')).toBe('file:a.ts')
    expect(fileNode('a'.repeat(401))).toBeUndefined()
  })
})

describe('trailAfter', () => {
  it('grows with each new node, goes back to a known one, and stays short', () => {
    expect(extendTrail(['a'], 'b')).toEqual(['a', 'b'])
    expect(extendTrail(['a', 'b', 'c'], 'b')).toEqual(['a', 'b'])
    expect(extendTrail([...'abcdefgh'], 'i')).toEqual([...'bcdefghi'])
  })
})

describe('graphAsked', () => {
  it('is the task of the session, two deep and both ways, unless told', () => {
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
