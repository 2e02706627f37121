import { describe, expect, it } from 'vitest'
import type { Memory } from './memory.ts'
import { bereft, created, isSame, superseded, weighed } from './remember.ts'

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
const { memory } = created(base, { source: 'web' })

describe('a new memory', () => {
  it('is believed as it is said to be, to hundredths', () => {
    expect(created({ ...base, confidence: 0.666 }, undefined)).toMatchObject({
      memory: { confidence: 0.67, lineage: [{ relation: 'origin', confidence: 0.67 }] },
      change: { change: 'created', confidence: 0.67 },
    })
    expect(created(base, undefined).change).not.toHaveProperty('source')
  })
})

describe('what speaks for a memory', () => {
  it('raises belief and trust, and is told', () => {
    const step = weighed(memory, 'corroborates', {
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
    expect(weighed(memory, 'corroborates', { at: later, source: { source: 'web' } })).toEqual({ memory })
  })

  it('gives a memory that was there before a beginning', () => {
    const old: Memory = { ...memory, lineage: [], confidence: 0.6, sourceType: 'bootstrap' }
    const step = weighed(old, 'contradicts', { at: later })
    expect(step.memory.lineage).toEqual([
      { relation: 'origin', at, sourceType: 'bootstrap', confidence: 0.6 },
      { relation: 'contradicts', at: later },
    ])
    expect(step.memory).toMatchObject({ confidence: 0.3, sourceType: 'bootstrap' })
  })
})

describe('a memory that loses a source', () => {
  it('loses the trust that came with it', () => {
    const trusted = weighed(memory, 'corroborates', { at: later, source: { source: 'ada' }, sourceType: 'explicit' })
    const step = bereft(trusted.memory, ({ source }) => source === 'ada', later)
    expect(step?.memory).toMatchObject({ confidence: 0.8, sourceType: 'tool_output' })
    expect(step?.change).toMatchObject({ change: 'source_removed', confidence: 0.8 })
  })

  it('goes with the last of its support', () => {
    expect(bereft(memory, () => true, later)).toBeUndefined()
  })
})

describe('a memory that says the same', () => {
  it('is the same in the same scope, while it may be given out', () => {
    expect(isSame(memory, {}, later)).toBe(true)
    expect(isSame(memory, { scope: 'work' }, later)).toBe(false)
    expect(isSame(superseded(memory, 'n', at).memory, {}, later)).toBe(false)
    expect(isSame({ ...memory, expiresAt: at }, {}, later)).toBe(false)
  })
})
