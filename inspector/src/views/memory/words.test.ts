import { describe, expect, it } from 'vitest'
import type { Memory, MemoryChange } from '../../api/types.ts'
import { isFrom, isWanted, memoriesText, newestFirst, pastOf, rangeOf, rangeText, storyOf } from './words.ts'

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
const ALL = { category: '', minConfidence: 0, past: true }

describe('a memory', () => {
  it('is past once another took its place or its time is over', () => {
    expect(pastOf(memory(), NOW)).toBeUndefined()
    expect(pastOf(memory({ supersededBy: 'n' }), NOW)).toBe('superseded')
    expect(pastOf(memory({ expiresAt: '2026-05-01T00:00:00Z' }), NOW)).toBe('expired')
    expect(pastOf(memory({ expiresAt: '2026-05-02T00:00:00Z' }), NOW)).toBeUndefined()
  })

  it('is narrowed by category, confidence and whether it still holds', () => {
    const old = memory({ supersededBy: 'n' })
    expect(isWanted(old, ALL, NOW)).toBe(true)
    expect(isWanted(old, { ...ALL, past: false }, NOW)).toBe(false)
    expect(isWanted(memory(), { ...ALL, category: 'rules' }, NOW)).toBe(false)
    expect(isWanted(memory(), { ...ALL, minConfidence: 0.81 }, NOW)).toBe(false)
    expect(isWanted(memory(), { ...ALL, minConfidence: 0.8, category: 'facts' }, NOW)).toBe(true)
  })

  it('is of a session if anything of its lineage is', () => {
    const lineage = [{ relation: 'origin', at: '', source: 'a form' } as const]
    expect(isFrom(memory({ lineage }), 's')).toBe(false)
    expect(isFrom(memory({ lineage: [...lineage, { relation: 'contradicts', at: '', sessionId: 's' }] }), 's')).toBe(
      true,
    )
  })
})

describe('memories', () => {
  it('stand newest first', () => {
    const kept = (id: string, day: number) => memory({ id, createdAt: `2026-01-0${day}T00:00:00Z` })
    const all = newestFirst([kept('a', 1), kept('b', 3), kept('c', 2), kept('d', 2)])
    expect(all.map(({ id }) => id).join('')).toBe('bdca')
  })

  it('are counted as people do', () => {
    expect([0, 1, 1200].map(memoriesText)).toEqual(['0 memories', '1 memory', '1,200 memories'])
  })
})

describe('what an entry of the lineage points to', () => {
  it('is a range of events, or one, or none', () => {
    expect(rangeOf({ sessionId: 's', from: 3, to: 5 })).toEqual({ from: 3, to: 5 })
    expect(rangeOf({ sessionId: 's', from: 3 })).toEqual({ from: 3, to: 3 })
    expect(rangeOf({ sessionId: 's', from: 3, to: 1 })).toEqual({ from: 3, to: 3 })
    expect(rangeOf({ sessionId: 's' })).toBeUndefined()
    expect(rangeOf({ from: 3, source: 'a form' })).toBeUndefined()
    expect([rangeText({ from: 3, to: 3 }), rangeText({ from: 3, to: 5 })]).toEqual(['event 3', 'events 3 to 5'])
  })
})

describe('the story of a confidence', () => {
  it('names where it began, where it is, and how many changes there were', () => {
    const change = (version: number, confidence: number): MemoryChange => ({
      version,
      at: '',
      change: 'corroborated',
      confidence,
    })
    expect(storyOf([])).toBe('Nothing is known of its changes.')
    expect(storyOf([change(1, 0.8)])).toBe('Confidence 0.80 since it was kept.')
    expect(storyOf([change(1, 0.8), change(2, 0.85), change(3, 0.425)])).toBe(
      'Confidence from 0.80 to 0.42 over 3 changes.',
    )
  })
})
