import { describe, expect, it } from 'vitest'
import { InvalidTransitionError } from './errors.ts'
import {
  isAllowed,
  LIFECYCLE,
  LIVE_STATES,
  type LifecycleCommand,
  type LifecycleCommandName,
  lifecycleDiagram,
  nextStatus,
  noteOf,
} from './lifecycle.ts'
import { isFinal, SESSION_STATES, type SessionState, type SessionStatus } from './record.ts'

const AT = '2026-01-31T09:30:00.000Z'

const STATUS: { [State in SessionState]: Extract<SessionStatus, { state: State }> } = {
  running: { state: 'running' },
  awaiting_user: { state: 'awaiting_user', question: 'Which one?', askedAt: AT },
  interrupted: { state: 'interrupted', userMessage: 'five, not three' },
  pending_complete: { state: 'pending_complete', summary: 'all done' },
  complete: { state: 'complete' },
  aborted: { state: 'aborted', reason: 'no time' },
}

const COMMAND: { [Do in LifecycleCommandName]: Extract<LifecycleCommand, { do: Do }> } = {
  ask: { do: 'ask', question: 'Which one?' },
  answer: { do: 'answer', text: 'the second' },
  interrupt: { do: 'interrupt', text: 'five, not three' },
  incorporate: { do: 'incorporate', note: 'five it is' },
  propose: { do: 'propose', summary: 'all done' },
  confirm: { do: 'confirm' },
  continueWith: { do: 'continueWith', request: 'also logging' },
  abort: { do: 'abort', reason: 'no time' },
  end: { do: 'end' },
}

/** Written out by hand from the specification; a state and a command that are not here must be refused. */
const ALLOWED: [SessionState, LifecycleCommandName, SessionStatus][] = [
  ['running', 'ask', STATUS.awaiting_user],
  ['running', 'interrupt', STATUS.interrupted],
  ['running', 'propose', STATUS.pending_complete],
  ['running', 'abort', STATUS.aborted],
  ['awaiting_user', 'answer', STATUS.running],
  ['awaiting_user', 'abort', STATUS.aborted],
  ['interrupted', 'incorporate', STATUS.running],
  ['interrupted', 'abort', STATUS.aborted],
  ['pending_complete', 'confirm', STATUS.complete],
  ['pending_complete', 'continueWith', STATUS.running],
  ['pending_complete', 'abort', STATUS.aborted],
  ['running', 'end', { state: 'complete', endedBy: 'caller' }],
  ['awaiting_user', 'end', { state: 'complete', endedBy: 'caller' }],
  ['interrupted', 'end', { state: 'complete', endedBy: 'caller' }],
  ['pending_complete', 'end', { state: 'complete', endedBy: 'caller' }],
]

const names = Object.keys(COMMAND) as LifecycleCommandName[]
const refused = SESSION_STATES.flatMap((state) => names.map((name) => [state, name] as const)).filter(
  ([state, name]) => !ALLOWED.some(([from, command]) => from === state && command === name),
)

describe('a command', () => {
  it.each(ALLOWED)('in the state %s: %s is allowed', (state, name, after) => {
    expect(nextStatus(STATUS[state], COMMAND[name], AT, 's1')).toStrictEqual(after)
    expect(LIFECYCLE[name].to).toBe(after.state)
    expect(isAllowed(state, name)).toBe(true)
  })

  it.each(refused)('in the state %s: %s is refused', (state, name) => {
    const attempt = () => nextStatus(STATUS[state], COMMAND[name], AT, 's1')
    expect(attempt).toThrow(InvalidTransitionError)
    expect(attempt).toThrow(expect.objectContaining({ details: { sessionId: 's1', state, command: name } }))
    expect(isAllowed(state, name)).toBe(false)
  })

  it('is tried in every state', () => {
    expect(ALLOWED.length + refused.length).toBe(SESSION_STATES.length * names.length)
  })

  it('has no way out of a final state', () => {
    expect(SESSION_STATES.filter((state) => names.every((name) => !isAllowed(state, name)))).toEqual([
      'complete',
      'aborted',
    ])
    expect(LIVE_STATES).toEqual(SESSION_STATES.filter((state) => !isFinal(state)))
  })

  it('writes a note of its own kind, except the end', () => {
    expect(names.map((name) => noteOf(COMMAND[name]))).toEqual([
      { about: 'question', text: 'Which one?' },
      { about: 'response', text: 'the second' },
      { about: 'intervention', text: 'five, not three' },
      { about: 'incorporation', text: 'five it is' },
      { about: 'proposal', text: 'all done' },
      { about: 'confirmation', text: 'The user confirmed that the task is complete' },
      { about: 'continuation', text: 'also logging' },
      { about: 'abort', text: 'no time' },
      undefined,
    ])
  })

  it('has a note even if the agent gives none', () => {
    expect(noteOf({ do: 'incorporate' })).toEqual({
      about: 'incorporation',
      text: 'The agent acted on the interruption',
    })
  })
})

describe('the diagram', () => {
  it('shows every transition of the table, the start and the ends', () => {
    expect(lifecycleDiagram()).toBe(`stateDiagram-v2
  [*] --> running: create()
  running --> awaiting_user: ask()
  running --> interrupted: interrupt()
  running --> pending_complete: propose()
  running --> complete: end()
  running --> aborted: abort()
  awaiting_user --> running: answer()
  awaiting_user --> complete: end()
  awaiting_user --> aborted: abort()
  interrupted --> running: incorporate()
  interrupted --> complete: end()
  interrupted --> aborted: abort()
  pending_complete --> running: continueWith()
  pending_complete --> complete: confirm(), end()
  pending_complete --> aborted: abort()
  complete --> [*]
  aborted --> [*]
`)
  })
})
