import { describe, expect, it } from 'vitest'
import type { Memory } from './memory.ts'
import { memoryScore, memoryWeights } from './rank.ts'

const now = Date.parse('2026-03-01T12:00:00.000Z')
const DAY = 86_400_000
const daysAgo = (days: number) => new Date(now - days * DAY).toISOString()

function memory(given: Partial<Memory> = {}): Memory {
  const rest = { id: 'm', tenant: 't', userId: 'u', category: 'facts', content: 'c', sourceType: 'explicit' } as const
  return { ...rest, confidence: 1, lineage: [], useCount: 0, createdAt: daysAgo(0), ...given }
}

describe('the score of a memory', () => {
  it.each([
    ['now and sure', {}, 1.2],
    ['half as fresh after sixty days', { createdAt: daysAgo(60) }, 1.1],
    ['old', { createdAt: daysAgo(36_500) }, 1],
    ['doubted', { confidence: 0, createdAt: daysAgo(36_500) }, 0.6],
    ['used a hundred times', { useCount: 100, createdAt: daysAgo(36_500) }, 1.1],
    ['used more often than counts', { useCount: 1e6, createdAt: daysAgo(36_500) }, 1.1],
    ['from the future', { createdAt: daysAgo(-5) }, 1.2],
  ])('is its relevance, weighed: %s', (_, given, factor) => {
    expect(memoryScore(0.5, memory(given), now)).toBeCloseTo(0.5 * factor, 10)
  })

  it('counts the age from its last support', () => {
    const lineage: Memory['lineage'] = [
      { relation: 'origin', at: daysAgo(600) },
      { relation: 'corroborates', at: daysAgo(60) },
      { relation: 'contradicts', at: daysAgo(1) },
    ]
    expect(memoryScore(1, memory({ createdAt: daysAgo(600), lineage }), now)).toBeCloseTo(1.1, 10)
  })
})

describe('the words of memories', () => {
  it('ignore neighbors', () => {
    for (const longMessages of [0, 10]) {
      const weights = memoryWeights({ messages: 10, terms: 100, longMessages })
      expect([weights.before1, weights.after1, weights.session, weights.floor, weights.speaker]).toEqual([
        0, 0, 0, 0, 0,
      ])
      expect(weights.passages).toBe(longMessages === 10)
    }
  })
})
