import { describe, expect, it } from 'vitest'
import { graphAsked } from './graph-query.ts'
import { fileNode, middle, nameOf, parsed, trailAfter } from './node-name.ts'

describe('names of nodes', () => {
  it('are split at the first colon', () => {
    expect(parsed('file:c:/a.ts')).toEqual({ kind: 'file', name: 'c:/a.ts' })
    expect(parsed('nothing')).toEqual({ kind: '', name: 'nothing' })
  })

  it('are the words of a note and the task of the session, where these are known', () => {
    const texts = new Map([['n1', 'Use B']])
    expect(nameOf('note:n1', texts, undefined)).toBe('Use B')
    expect(nameOf('decision:n1', texts, undefined)).toBe('Use B')
    expect(nameOf('note:n2', texts, undefined)).toBe('n2')
    expect(nameOf('file:n1', texts, undefined)).toBe('n1')
    expect(nameOf('task:session', texts, 'Plan a trip')).toBe('Plan a trip')
    expect(nameOf('task:session', texts, undefined)).toBe('session')
  })

  it('lose their middle when they are long, and never half of a character', () => {
    expect(middle('abcdefghij', 10)).toBe('abcdefghij')
    expect(middle('abcdefghijk', 5)).toBe('ab…jk')
    expect(middle('a😀bcdefgh😀k', 5)).toBe('a…k')
  })

  it('stand for a file only where the server takes them as they are', () => {
    expect(fileNode('a.ts')).toBe('file:a.ts')
    expect(fileNode('a'.repeat(401))).toBeUndefined()
  })
})

describe('trailAfter', () => {
  it('grows with each new node, goes back to a known one, and stays short', () => {
    expect(trailAfter(['a'], 'b')).toEqual(['a', 'b'])
    expect(trailAfter(['a', 'b', 'c'], 'b')).toEqual(['a', 'b'])
    expect(trailAfter([...'abcdefgh'], 'i')).toEqual([...'bcdefghi'])
  })
})

describe('graphAsked', () => {
  it('is the task of the session, two deep and both ways, unless told', () => {
    const none = { node: 'task:session', depth: 2, direction: 'both', labels: [], as: 'diagram' }
    expect(graphAsked(new URLSearchParams())).toEqual(none)
    expect(graphAsked(new URLSearchParams('node=&depth=9&direction=up&labels=,A-b,&as=x'))).toEqual(none)
  })

  it('reads the address', () => {
    expect(graphAsked(new URLSearchParams('node=file:a&depth=4&direction=in&labels=calls,reads&as=list'))).toEqual({
      node: 'file:a',
      depth: 4,
      direction: 'in',
      labels: ['calls', 'reads'],
      as: 'list',
    })
  })
})
