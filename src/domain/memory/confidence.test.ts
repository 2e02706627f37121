import { describe, expect, it } from 'vitest'
import { confidenceOf, hasEvidence, lineageWithout } from './confidence.ts'
import type { LineageEntry } from './memory.ts'

const at = '2026-03-01T12:00:00.000Z'
const entry = (relation: LineageEntry['relation'], rest: Partial<LineageEntry> = {}): LineageEntry => {
  return { relation, at, ...rest }
}

describe('the confidence of a memory', () => {
  it.each([
    [[entry('origin')], 0.8],
    [[entry('origin', { confidence: 0.5 })], 0.5],
    [[entry('origin', { confidence: 1 }), entry('corroborates')], 1],
    [[entry('origin', { confidence: 0 }), entry('corroborates')], 0.25],
    [[entry('origin', { confidence: 0 }), entry('contradicts')], 0],
    [[entry('origin'), entry('corroborates'), entry('contradicts')], 0.43],
    [[entry('origin', { confidence: 0.7 }), entry('corroborates')], 0.78],
    [[], 0.8],
  ])('is folded from its lineage: %#', (lineage, confidence) => {
    expect(confidenceOf(lineage)).toBe(confidence)
  })

  it('stays between 0 and 1 and in hundredths, whatever comes', () => {
    for (const relation of ['corroborates', 'contradicts'] as const) {
      const confidence = confidenceOf([entry('origin'), ...Array(200).fill(entry(relation))])
      expect(confidence).toBeGreaterThanOrEqual(0)
      expect(confidence).toBeLessThanOrEqual(1)
      expect(Math.round(confidence * 100) / 100).toBe(confidence)
    }
  })
})

describe('a source that speaks again', () => {
  const lineage = [
    entry('origin', { sessionId: 's', from: 2, to: 5 }),
    entry('contradicts', { source: 'web' }),
    entry('corroborates', { sessionId: 't' }),
  ]

  it.each([
    [{ sessionId: 's', from: 5, to: 9 }, 'corroborates', true],
    [{ sessionId: 's', from: 6, to: 9 }, 'corroborates', false],
    [{ sessionId: 's', from: 2, to: 2 }, 'contradicts', false],
    [{ sessionId: 's' }, 'corroborates', true],
    [{ sessionId: 't', from: 7, to: 7 }, 'corroborates', true],
    [{ sessionId: 'u' }, 'corroborates', false],
    [{ source: 'web' }, 'contradicts', true],
    [{ source: 'web' }, 'corroborates', false],
    [{}, 'corroborates', false],
  ] as const)('is known by its events or its name: %j %s', (source, relation, known) => {
    expect(hasEvidence(lineage, source, relation)).toBe(known)
  })
})

describe('a lineage without a source', () => {
  const from = (sessionId: string) => (gone: LineageEntry) => gone.sessionId === sessionId
  const both = [entry('origin', { sessionId: 's', confidence: 0.6 }), entry('corroborates', { sessionId: 't' })]

  it('keeps the rest', () => {
    expect(lineageWithout(both, from('t'))).toEqual([both[0]])
  })

  it('makes the oldest support the origin when the origin is removed, with the initial confidence', () => {
    expect(lineageWithout(both, from('s'))).toEqual([entry('origin', { sessionId: 't', confidence: 0.6 })])
    const unsure = [entry('origin', { sessionId: 's' }), entry('corroborates', { sessionId: 't' })]
    expect(lineageWithout(unsure, from('s'))).toEqual([entry('origin', { sessionId: 't' })])
  })

  it('is none when nothing supports the memory any more', () => {
    const denied = [entry('origin', { sessionId: 's' }), entry('contradicts', { sessionId: 't' })]
    expect(lineageWithout(denied, from('s'))).toBeUndefined()
  })
})
