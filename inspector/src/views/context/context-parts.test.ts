import { describe, expect, it } from 'vitest'
import { formatPercent, messageKeys, messageParts, toSegments } from './context-parts.ts'

const TASK = { section: 'task', count: 1, tokens: 10 } as const
const PAD = { section: 'scratchpad', count: 1, tokens: 5 } as const
const MEMORIES = { section: 'memories', count: 3, tokens: 25 } as const
const WINDOW = { section: 'window', count: 4, tokens: 40 } as const

describe('toSegments', () => {
  it('lists the parts in order, then the unused rest', () => {
    expect(toSegments([TASK, WINDOW], 100)).toEqual([
      { part: 'task', count: 1, tokens: 10, start: 0, size: 0.1 },
      { part: 'window', count: 4, tokens: 40, start: 0.1, size: 0.4 },
      { part: 'unused', count: 0, tokens: 50, start: 0.5, size: 0.5 },
    ])
  })

  it('has no unused segment in a full bar, and none at all in an empty one', () => {
    expect(toSegments([WINDOW], 40).map(({ part }) => part)).toEqual(['window'])
    expect(toSegments([WINDOW], 0)).toHaveLength(1)
    expect(toSegments([], 0)).toEqual([])
  })
})

describe('formatPercent', () => {
  it('shows 0 and 100 only for exact values', () => {
    expect([0, 0.0004, 0.001, 0.5, 0.999, 0.9996, 1].map(formatPercent)).toEqual([
      '0.0%',
      '< 0.1%',
      '0.1%',
      '50%',
      '99.9%',
      '> 99.9%',
      '100%',
    ])
  })
})

describe('messages of a context', () => {
  it('get their part by place: task and summaries first, scratchpad and recalled items as the last system messages', () => {
    const of = (...roles: ('system' | 'user')[]) => roles.map((role) => ({ role }))
    expect(messageParts(of('system', 'system', 'system', 'system', 'user'), [TASK, WINDOW, PAD, MEMORIES])).toEqual([
      'Task',
      'Messages',
      'Scratchpad',
      'Recalled',
      'Messages',
    ])
    expect(messageParts(of('user', 'system'), [WINDOW, PAD])).toEqual(['Messages', 'Scratchpad'])
    expect(messageParts(of('user'), [WINDOW])).toEqual(['Messages'])
    expect(messageParts([], [])).toEqual([])
  })

  it('keep their keys when earlier ones are added', () => {
    const hi = { role: 'user', content: 'hi' } as const
    const yes = { role: 'assistant', content: 'yes', toolCalls: [{ id: 'c', name: 'f', arguments: '' }] } as const
    const [first, second, third] = messageKeys([hi, { ...yes, toolCalls: [...yes.toolCalls] }, hi])
    expect(new Set([first, second, third]).size).toBe(3)
    expect(messageKeys([{ role: 'system', content: 'x' }, hi])[1]).toBe(first)
  })
})
