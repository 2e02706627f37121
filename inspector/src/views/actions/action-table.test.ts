import { describe, expect, it } from 'vitest'
import type { LiveState } from '../../domain.ts'
import { ACTIONS, bodyOf, offeredActions } from './action-table.ts'
import { IdempotencyKeys } from './idempotency-keys.ts'

const live = (state: LiveState) => offeredActions({ state, isOver: false, hasCommit: undefined })

describe('offered actions', () => {
  it('are those the state allows, most important first', () => {
    expect(live('running')).toEqual({
      first: ['interrupt', 'say'],
      more: ['fork', 'end', 'abort'],
      agent: ['ask', 'propose'],
    })
    expect(live('awaiting_user')).toEqual({ first: [], more: ['say', 'fork', 'end', 'abort'], agent: [] })
    expect(live('interrupted').first).toEqual(['incorporate'])
    expect(live('pending_complete').first).toEqual(['confirm', 'continueWith'])
  })

  it('are commit and fork once the session is over', () => {
    const over = (hasCommit: boolean | undefined) => offeredActions({ state: 'complete', isOver: true, hasCommit })
    expect(over(false)).toEqual({ first: ['compact', 'fork'], more: [], agent: [] })
    expect(over(true).first).toEqual(['fork'])
    expect(over(undefined).first).toEqual(['fork'])
    // its time ran out: the state says something else
    expect(offeredActions({ state: 'running', isOver: true, hasCommit: false }).first).toEqual(['compact', 'fork'])
  })
})

describe('a request body', () => {
  it('has the values that were filled in, and no empty ones', () => {
    expect(bodyOf('say', { content: 'Hello' })).toEqual({ role: 'user', content: 'Hello' })
    expect(bodyOf('fork', { at: '12', task: ' ' })).toEqual({ at: 12 })
    expect(bodyOf('fork', {})).toEqual({})
    expect(bodyOf('compact', { summary: 'Short' })).toEqual({ summary: 'Short' })
    const message = { role: 'user', content: 'Better' }
    expect(bodyOf('replace', { sequence: '7', content: 'Better' })).toEqual({ sequence: 7, message })
    expect(bodyOf('replace', { sequence: '7' })).toMatchObject({ message: { content: '' } })
    expect(bodyOf('confirm', { summary: 'not a field of it' })).toEqual({})
  })

  it('has required values even if they are empty, so that the server rejects them', () => {
    for (const [name, { fields }] of Object.entries(ACTIONS)) {
      if (name === 'replace') continue
      const required = fields.filter(({ isRequired }) => isRequired).map((field) => field.name)
      expect(Object.keys(bodyOf(name as keyof typeof ACTIONS, {})).filter((key) => key !== 'role')).toEqual(required)
    }
  })
})

describe('idempotency keys', () => {
  it('stay the same for the same write until it succeeds', () => {
    let made = 0
    const attempts = new IdempotencyKeys(() => String(++made))
    expect(attempts.keyFor('/a', { text: 'x' }, 7)).toMatchObject({ key: '1', since: 7 })
    expect(attempts.keyFor('/a', { text: 'x' }, 9)).toMatchObject({ key: '1', since: 7 })
    expect(attempts.keyFor('/b', { text: 'x' }, 9).key).toBe('2')
    expect(attempts.keyFor('/a', { text: 'y' }, 9).key).toBe('3')
    attempts.done('/a')
    expect(attempts.keyFor('/a', { text: 'y' }, 9)).toMatchObject({ key: '4', since: 9 })
  })

  it('are unique and printable', () => {
    const keys = [new IdempotencyKeys(), new IdempotencyKeys()].map((attempts) => attempts.keyFor('/a', {}, 1).key)
    expect(new Set(keys).size).toBe(2)
    expect(keys[0]).toMatch(/^[\x20-\x7e]+$/)
  })
})
