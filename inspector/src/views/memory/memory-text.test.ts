import { describe, expect, it } from 'vitest'
import type { Memory, MemoryChange } from '../../api/types.ts'
import {
  comesFromSession,
  describeChanges,
  eventRange,
  formatMemoryCount,
  formatRange,
  inactiveReason,
  matchesFilter,
  sortNewestFirst,
} from './memory-text.ts'

const NOW = Date.parse('2026-05-01T00:00:00Z')
const memory = (more: Partial<Memory> = {}): Memory => ({
  id: 'm',
  tenant: 'local',
  userId: 'ada',
  category: 'facts',
  content: 'x',
  sourceType: 'explicit',
  confidence: 0.8,
  lineage: [],
  useCount: 0,
  createdAt: '2026-01-01T00:00:00Z',
  ...more,
})
const ALL = { category: '', minConfidence: 0, includesInactive: true }

describe('a memory', () => {
  it('is inactive once superseded or expired', () => {
    expect(inactiveReason(memory(), NOW)).toBeUndefined()
    expect(inactiveReason(memory({ supersededBy: 'n' }), NOW)).toBe('superseded')
    expect(inactiveReason(memory({ expiresAt: '2026-05-01T00:00:00Z' }), NOW)).toBe('expired')
    expect(inactiveReason(memory({ expiresAt: '2026-05-02T00:00:00Z' }), NOW)).toBeUndefined()
  })

  it('is filtered by category, confidence and whether it is active', () => {
    const old = memory({ supersededBy: 'n' })
    expect(matchesFilter(old, ALL, NOW)).toBe(true)
    expect(matchesFilter(old, { ...ALL, includesInactive: false }, NOW)).toBe(false)
    expect(matchesFilter(memory(), { ...ALL, category: 'rules' }, NOW)).toBe(false)
    expect(matchesFilter(memory(), { ...ALL, minConfidence: 0.81 }, NOW)).toBe(false)
    expect(matchesFilter(memory(), { ...ALL, minConfidence: 0.8, category: 'facts' }, NOW)).toBe(true)
  })

  it('comes from a session if its lineage names it', () => {
    const lineage = [{ relation: 'origin', at: '', source: 'a form' } as const]
    expect(comesFromSession(memory({ lineage }), 's')).toBe(false)
    expect(
      comesFromSession(memory({ lineage: [...lineage, { relation: 'contradicts', at: '', sessionId: 's' }] }), 's'),
    ).toBe(true)
  })
})

describe('memories', () => {
  it('are sorted newest first', () => {
    const kept = (id: string, day: number) => memory({ id, createdAt: `2026-01-0${day}T00:00:00Z` })
    const all = sortNewestFirst([kept('a', 1), kept('b', 3), kept('c', 2), kept('d', 2)])
    expect(all.map(({ id }) => id).join('')).toBe('bdca')
  })

  it('are counted with the right plural', () => {
    expect([0, 1, 1200].map(formatMemoryCount)).toEqual(['0 memories', '1 memory', '1,200 memories'])
  })
})

describe('eventRange', () => {
  it('is a range of events, or one, or none', () => {
    expect(eventRange({ sessionId: 's', from: 3, to: 5 })).toEqual({ from: 3, to: 5 })
    expect(eventRange({ sessionId: 's', from: 3 })).toEqual({ from: 3, to: 3 })
    expect(eventRange({ sessionId: 's', from: 3, to: 1 })).toEqual({ from: 3, to: 3 })
    expect(eventRange({ sessionId: 's' })).toBeUndefined()
    expect(eventRange({ from: 3, source: 'a form' })).toBeUndefined()
    expect([formatRange({ from: 3, to: 3 }), formatRange({ from: 3, to: 5 })]).toEqual(['event 3', 'events 3 to 5'])
  })
})

describe('describeChanges', () => {
  it('names the first and last confidence and the number of changes', () => {
    const change = (version: number, confidence: number): MemoryChange => ({
      version,
      at: '',
      change: 'corroborated',
      confidence,
    })
    expect(describeChanges([])).toBe('No changes recorded.')
    expect(describeChanges([change(1, 0.8)])).toBe('Confidence 0.80 since it was created.')
    expect(describeChanges([change(1, 0.8), change(2, 0.85), change(3, 0.425)])).toBe(
      'Confidence from 0.80 to 0.42 over 3 changes.',
    )
  })
})
