import { describe, expect, it } from 'vitest'
import { addEvidence, createMemory, isMergeable, removeSource, supersede } from './evidence.ts'
import type { Memory } from './memory.ts'

const at = '2026-03-01T12:00:00.000Z'
const later = '2026-03-02T12:00:00.000Z'

const base = {
  id: 'm',
  tenant: 'local',
  userId: 'ada',
  category: 'facts',
  content: 'Keeps bees',
  sourceType: 'tool_output',
  createdAt: at,
} as const
const { memory } = createMemory(base, { source: 'web' })

describe('a new memory', () => {
  it('keeps its confidence, rounded to hundredths', () => {
    expect(createMemory({ ...base, confidence: 0.666 }, undefined)).toMatchObject({
      memory: { confidence: 0.67, lineage: [{ relation: 'origin', confidence: 0.67 }] },
      change: { change: 'created', confidence: 0.67 },
    })
    expect(createMemory(base, undefined).change).not.toHaveProperty('source')
  })
})

describe('what speaks for a memory', () => {
  it('raises confidence and trust, and is in the history', () => {
    const step = addEvidence(memory, 'corroborates', {
      at: later,
      source: { source: 'ada' },
      sourceType: 'explicit',
      note: 'n',
    })
    expect(step.memory).toMatchObject({ confidence: 0.85, sourceType: 'explicit' })
    expect(step.change).toEqual({
      at: later,
      change: 'corroborated',
      confidence: 0.85,
      source: { source: 'ada' },
      note: 'n',
    })
  })

  it('speaks once', () => {
    expect(addEvidence(memory, 'corroborates', { at: later, source: { source: 'web' } })).toEqual({ memory })
  })

  it('gives an adopted memory an origin', () => {
    const old: Memory = { ...memory, lineage: [], confidence: 0.6, sourceType: 'bootstrap' }
    const step = addEvidence(old, 'contradicts', { at: later })
    expect(step.memory.lineage).toEqual([
      { relation: 'origin', at, sourceType: 'bootstrap', confidence: 0.6 },
      { relation: 'contradicts', at: later },
    ])
    expect(step.memory).toMatchObject({ confidence: 0.3, sourceType: 'bootstrap' })
  })
})

describe('a memory that loses a source', () => {
  it('loses the trust that came with it', () => {
    const trusted = addEvidence(memory, 'corroborates', {
      at: later,
      source: { source: 'ada' },
      sourceType: 'explicit',
    })
    const step = removeSource(trusted.memory, ({ source }) => source === 'ada', later)
    expect(step?.memory).toMatchObject({ confidence: 0.8, sourceType: 'tool_output' })
    expect(step?.change).toMatchObject({ change: 'source_removed', confidence: 0.8 })
  })

  it('goes with the last of its support', () => {
    expect(removeSource(memory, () => true, later)).toBeUndefined()
  })
})

describe('a memory that says the same', () => {
  it('is the same in the same scope, while it may be given out', () => {
    expect(isMergeable(memory, {}, later)).toBe(true)
    expect(isMergeable(memory, { scope: 'work' }, later)).toBe(false)
    expect(isMergeable(supersede(memory, 'n', at).memory, {}, later)).toBe(false)
    expect(isMergeable({ ...memory, expiresAt: at }, {}, later)).toBe(false)
  })
})
