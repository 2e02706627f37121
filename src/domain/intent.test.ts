import { describe, expect, it } from 'vitest'
import { MESSAGE_INTENTS } from './classify.ts'
import { type Action, actionFor, type MessageIntent } from './intent.ts'
import { LIVE_STATES, type LiveState } from './lifecycle.ts'

const EXPECTED: [MessageIntent, LiveState, Action][] = [
  ['response', 'running', 'interrupt_and_incorporate'],
  ['response', 'awaiting_user', 'answer'],
  ['response', 'interrupted', 'incorporate'],
  ['response', 'pending_complete', 'continue'],
  ['modification', 'running', 'interrupt_and_incorporate'],
  ['modification', 'awaiting_user', 'answer'],
  ['modification', 'interrupted', 'incorporate'],
  ['modification', 'pending_complete', 'continue'],
  ['confirmation', 'running', 'acknowledge'],
  ['confirmation', 'awaiting_user', 'acknowledge'],
  ['confirmation', 'interrupted', 'acknowledge'],
  ['confirmation', 'pending_complete', 'complete'],
  ['new_task', 'running', 'new_task'],
  ['new_task', 'awaiting_user', 'new_task'],
  ['new_task', 'interrupted', 'new_task'],
  ['new_task', 'pending_complete', 'new_task'],
  ['abandon', 'running', 'abandon'],
  ['abandon', 'awaiting_user', 'abandon'],
  ['abandon', 'interrupted', 'abandon'],
  ['abandon', 'pending_complete', 'abandon'],
  ['unclear', 'running', 'clarify'],
  ['unclear', 'awaiting_user', 'clarify'],
  ['unclear', 'interrupted', 'clarify'],
  ['unclear', 'pending_complete', 'clarify'],
]

describe('what a message does', () => {
  it.each(EXPECTED)('a %s while %s: %s', (intent, state, action) => {
    expect(actionFor(intent, state)).toBe(action)
  })

  it('is known for every intent in every live state', () => {
    expect(EXPECTED).toHaveLength(MESSAGE_INTENTS.length * LIVE_STATES.length)
  })
})
