import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SessionEvent } from './event.ts'
import { edgesOf, isLabel, isNode, LABELS, NODE_KINDS, nodeOf, parseNode, TASK_NODE, truncateText } from './graph.ts'
import type { Json } from './json.ts'

function event(parts: unknown, type: SessionEvent['type'] = 'work_committed'): SessionEvent {
  return {
    id: 'e1',
    sessionId: 's1',
    sequence: 7,
    type,
    role: 'system',
    content: 'text',
    createdAt: '2026-01-31T09:30:00.000Z',
    parts: parts as Json,
  }
}

const edges = (...observations: unknown[]) =>
  edgesOf(event({ id: 'w1', parents: [], kind: 'step', observations, state: 'running' })).map(
    ({ from, label, to, evidence }) => [from, label, to, evidence],
  )

const SURE = '{"confidence":1}'

describe('a node', () => {
  it('is its kind and its name', () => {
    expect(nodeOf('file', 'src/a.ts')).toBe('file:src/a.ts')
    expect(parseNode(TASK_NODE)).toEqual({ kind: 'task', name: 'session' })
    expect(parseNode('file:C:\\a.ts')).toEqual({ kind: 'file', name: 'C:\\a.ts' })
    for (const kind of NODE_KINDS) expect(parseNode(nodeOf(kind, 'x'))).toEqual({ kind, name: 'x' })
  })

  it.each(['', 'file', 'filex', ':x', 'file:', 'File:x', 'folder:x', `file:${'x'.repeat(4097)}`])(
    'is nothing else: %s',
    (text) => {
      expect(parseNode(text)).toBeUndefined()
      expect(isNode(text)).toBe(false)
    },
  )

  it('of a name that is too long is named by the beginning', () => {
    const long = nodeOf('file', 'x'.repeat(5000))
    expect(isNode(long)).toBe(true)
    expect(long).toHaveLength('file:'.length + 400)
  })
})

describe('a label', () => {
  it('is a word in camel case', () => {
    for (const label of [...LABELS, 'x', 'testedBy', 'a'.repeat(64)]) expect(isLabel(label)).toBe(true)
    for (const label of ['', 'Mentions', 'is part of', 'a1', 'a_b', 'mentions\n', 'a'.repeat(65)]) {
      expect(isLabel(label)).toBe(false)
    }
  })
})

describe('a text that is too long', () => {
  it('is cut where it stays well formed, and says so', () => {
    expect(truncateText('abcde', 5)).toBe('abcde')
    expect(truncateText('abcdef', 5)).toBe('abcd…')
    expect(truncateText('abc  def', 5)).toBe('abc…')
    expect(truncateText('abc\u{1F600}ef', 5)).toBe('abc…')
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('a', ' ', '\u{1F600}')),
        fc.integer({ min: 1, max: 12 }),
        (characters, limit) => {
          const short = truncateText(characters.join(''), limit)
          return short.length <= limit && short.isWellFormed()
        },
      ),
    )
  })
})

describe('the edges of a work commit', () => {
  it('follow from the observations', () => {
    expect(edges({ kind: 'fileWrite', path: 'a.ts', hash: 'h' })).toEqual([
      ['file:a.ts', 'updatedIn', 'task:session', SURE],
    ])
    expect(edges({ kind: 'fileRead', path: 'a.ts' })).toEqual([['task:session', 'references', 'file:a.ts', SURE]])
    expect(edges({ kind: 'note', id: 'n1', text: 'the second', about: 'response' })).toEqual([
      ['note:n1', 'mentions', 'task:session', SURE],
    ])
    expect(edges({ kind: 'plan', id: 'p1', text: 'first this' })).toEqual([
      ['note:p1', 'mentions', 'task:session', SURE],
      ['note:p1', 'derivedFrom', 'task:session', SURE],
    ])
    expect(edges({ kind: 'command', command: 'npm test', exitCode: 1 })).toEqual([
      ['diagnostic:npm test', 'derivedFrom', 'task:session', SURE],
    ])
  })

  it('name a decision that a note states', () => {
    expect(edges({ kind: 'note', id: 'n1', text: 'DECISION: jitter' })).toEqual([
      ['note:n1', 'mentions', 'task:session', SURE],
      ['decision:n1', 'decidedIn', 'task:session', SURE],
    ])
    expect(edges({ kind: 'note', id: 'n1', text: 'Decision: ' })).toHaveLength(1)
    expect(edges({ kind: 'note', id: 'n1', text: 'No decision: yet' })).toHaveLength(1)
  })

  it('ignore a command that passed or has no exit code', () => {
    expect(edges({ kind: 'command', command: 'npm test', exitCode: 0 }, { kind: 'command', command: 'ls' })).toEqual([])
  })

  it('list stated edges with their evidence before implied ones', () => {
    const stated = [
      { from: 'file:a.ts', label: 'imports', to: 'file:b.ts', evidence: { tool: 'tsc', confidence: 0.5, event: 3 } },
      { from: 'item:f', label: 'testedBy', to: 'item:g', evidence: { confidence: 0 } },
      { from: 'file:a.ts', label: 'defines', to: 'item:f' },
    ]
    expect(edges({ kind: 'fileRead', path: 'a.ts' }, { kind: 'relations', edges: stated })).toEqual([
      ['file:a.ts', 'imports', 'file:b.ts', '{"event":3,"tool":"tsc","confidence":0.5}'],
      ['item:f', 'testedBy', 'item:g', '{"confidence":0}'],
      ['file:a.ts', 'defines', 'item:f', SURE],
      ['task:session', 'references', 'file:a.ts', SURE],
    ])
  })

  it('are unique, and stated edges win', () => {
    const stated = { from: 'file:a.ts', label: 'updatedIn', to: 'task:session', evidence: { tool: 'editor' } }
    const write = { kind: 'fileWrite', path: 'a.ts' }
    expect(edges(write, write, { kind: 'relations', edges: [stated, { ...stated, evidence: {} }] })).toEqual([
      ['file:a.ts', 'updatedIn', 'task:session', '{"tool":"editor","confidence":1}'],
    ])
  })

  it('take evidence that makes no sense as none', () => {
    const edge = { from: 'file:a', label: 'calls', to: 'file:b' }
    for (const evidence of [
      null,
      'x',
      { confidence: 2 },
      { confidence: -1 },
      { confidence: '1' },
      { tool: 1, event: '2' },
    ]) {
      expect(edges({ kind: 'relations', edges: [{ ...edge, evidence }] })).toEqual([
        ['file:a', 'calls', 'file:b', SURE],
      ])
    }
  })

  it.each([
    ['no object', 'note'],
    ['of no kind', { id: 'n1', text: 'x' }],
    ['of an unknown kind', { kind: 'constructor', id: 'n1' }],
    ['a note without an id', { kind: 'note', text: 'x' }],
    ['a note without text', { kind: 'note', id: 'n1', text: '' }],
    ['a file without a path', { kind: 'fileRead', path: 3 }],
    ['relations without edges', { kind: 'relations' }],
    ['an edge that is nothing', { kind: 'relations', edges: [null] }],
    ['an edge that is none', { kind: 'relations', edges: ['x'] }],
    ['an edge from nowhere', { kind: 'relations', edges: [{ from: 'a', label: 'calls', to: 'file:b' }] }],
    ['an edge to nowhere', { kind: 'relations', edges: [{ from: 'file:a', label: 'calls', to: 'b' }] }],
    [
      'an edge from something that is no text',
      { kind: 'relations', edges: [{ from: 1, label: 'calls', to: 'file:b' }] },
    ],
    ['an edge to something that is no text', { kind: 'relations', edges: [{ from: 'file:a', label: 'calls', to: 1 }] }],
    [
      'an edge with a label that is no text',
      { kind: 'relations', edges: [{ from: 'file:a', label: 1, to: 'file:b' }] },
    ],
    ['an edge with a bad label', { kind: 'relations', edges: [{ from: 'file:a', label: 'Calls', to: 'file:b' }] }],
  ])('pass over what is no observation: %s', (_what, observation) => {
    expect(edges(observation)).toEqual([])
  })

  it('are none for other events and for parts of any other form', () => {
    const parts = { observations: [{ kind: 'fileRead', path: 'a.ts' }] }
    expect(edgesOf(event(parts))).toHaveLength(1)
    expect(edgesOf(event(parts, 'x.work'))).toEqual([])
    for (const other of [undefined, null, [], 'x', {}, { observations: {} }]) expect(edgesOf(event(other))).toEqual([])
    fc.assert(fc.property(fc.jsonValue(), (any) => Array.isArray(edgesOf(event({ observations: any })))))
  })
})
