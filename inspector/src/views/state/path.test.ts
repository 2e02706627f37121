import { describe, expect, it } from 'vitest'
import type { Json, SessionEvent } from '../../api/types.ts'
import { isAllowed, isFinal, LIFECYCLE } from '../../domain.ts'
import { TALL, WIDE } from './diagram-layout.ts'
import { buildPath, countSteps, readWorkNote } from './path.ts'
import { COMMANDS, commandBetween } from './transitions.ts'

const event = (sequence: number, type: string, parts?: Json): SessionEvent => ({
  id: `e${sequence}`,
  sessionId: 's',
  sequence,
  type: type as SessionEvent['type'],
  role: 'system',
  content: '',
  createdAt: new Date(sequence * 1000).toISOString(),
  ...(parts !== undefined && { parts }),
})
const status = (sequence: number, state: string, more: Record<string, Json> = {}) =>
  event(sequence, 'status_changed', { status: { state, ...more } })
const started = event(1, 'session_started', { agent: 'coach', task: 'Plan the trip' })

describe('buildPath', () => {
  it('derives each step from the states around it, with the text of the status', () => {
    const steps = buildPath([
      started,
      status(4, 'awaiting_user', { question: 'Which day?', askedAt: '' }),
      status(7, 'running'),
      status(9, 'interrupted', { userMessage: 'Wait' }),
      status(11, 'running'),
      status(14, 'pending_complete', { summary: 'Booked' }),
      status(16, 'running'),
      status(18, 'pending_complete', { summary: 'Booked again' }),
      status(20, 'complete'),
    ])
    expect(steps.map(({ kind }) => kind)).toEqual([
      'create',
      'ask',
      'answer',
      'interrupt',
      'incorporate',
      'propose',
      'continueWith',
      'propose',
      'confirm',
    ])
    expect(steps.map(({ note }) => note).filter(Boolean)).toEqual([
      'Plan the trip',
      'Which day?',
      'Wait',
      'Booked',
      'Booked again',
    ])
    expect(steps[1]).toMatchObject({ from: 'running', until: steps[2]?.at })
    expect(steps.at(-1)?.until).toBeUndefined()
    expect(countSteps(steps).get('propose')).toBe(2)
    expect(countSteps(steps).get('abort')).toBeUndefined()
  })

  it('distinguishes an end by the caller from a confirmation', () => {
    const proposed = status(2, 'pending_complete', { summary: 'x' })
    const kinds = (last: SessionEvent) => buildPath([started, proposed, last]).at(-1)?.kind
    expect(kinds(status(3, 'complete'))).toBe('confirm')
    expect(kinds(status(3, 'complete', { endedBy: 'caller' }))).toBe('end')
    expect(kinds(status(3, 'aborted', { reason: 'x' }))).toBe('abort')
  })

  it('starts anywhere in the log and does not guess what came before', () => {
    expect(buildPath([status(50, 'running')])).toMatchObject([{ state: 'running' }])
    expect(buildPath([status(50, 'running')])[0]?.kind).toBeUndefined()
    expect(buildPath([status(50, 'awaiting_user')])[0]?.kind).toBe('ask')
    expect(buildPath([status(50, 'complete', { endedBy: 'caller' })])[0]?.kind).toBe('end')
    expect(buildPath([status(50, 'complete')])[0]?.kind).toBe('confirm')
  })

  it('continues a fork in the state of its source, or running if that had ended', () => {
    const fork = (sequence: number) =>
      event(sequence, 'session_forked', { from: { sessionId: 'source', sequence: sequence - 1 } })
    const asked = buildPath([started, status(2, 'awaiting_user', { question: 'x' }), fork(3), status(4, 'running')])
    expect(asked.map(({ kind, state, isPast }) => [kind, state, isPast])).toEqual([
      ['create', 'running', true],
      ['ask', 'awaiting_user', true],
      ['fork', 'awaiting_user', undefined],
      ['answer', 'running', undefined],
    ])
    expect([...countSteps(asked)]).toEqual([
      ['fork', 1],
      ['answer', 1],
    ])
    expect(asked[2]?.source).toEqual({ sessionId: 'source', sequence: 2 })
    expect(buildPath([started, status(2, 'aborted', { reason: 'x' }), fork(3)]).at(-1)?.state).toBe('running')
  })

  it('knows the active agent', () => {
    const states = [started, status(3, 'awaiting_user'), status(5, 'running')]
    const switched = event(4, 'agent_transition', { from: 'coach', to: 'booker' })
    expect(buildPath(states, [switched]).map(({ agent }) => agent)).toEqual(['coach', 'coach', 'booker'])
    expect(buildPath(states).map(({ agent }) => agent)).toEqual(['coach', 'coach', 'coach'])
    expect(buildPath([status(50, 'running')], [], true, 'coach')[0]?.agent).toBe('coach')
    expect(buildPath(states, [switched], false).map(({ agent }) => agent)).toEqual([undefined, undefined, 'booker'])
  })

  it('skips invalid events', () => {
    const odd: Json[] = [null, [], 'x', { status: null }, { status: { state: 'elsewhere' } }, { status: { state: {} } }]
    expect(buildPath(odd.map((parts, i) => event(i + 1, 'status_changed', parts)))).toEqual([])
    expect(buildPath([event(1, 'session_started'), event(2, 'session_forked')])).toHaveLength(2)
    expect(buildPath([status(1, 'awaiting_user', { question: 7 })])[0]?.note).toBe('')
  })

  it('reads the note of a state change', () => {
    const work = (observations: Json) => event(5, 'work_committed', { id: 'w', observations })
    expect(
      readWorkNote(
        work([
          { kind: 'note', text: 'own' },
          { kind: 'note', about: 'response', text: 'Monday' },
        ]),
      ),
    ).toBe('Monday')
    expect(readWorkNote(work([{ kind: 'note', text: 'own' }]))).toBeUndefined()
    expect(readWorkNote(work('x'))).toBeUndefined()
    expect(readWorkNote(work([null, 7]))).toBeUndefined()
    expect(readWorkNote(started)).toBeUndefined()
    expect(readWorkNote(undefined)).toBeUndefined()
  })
})

describe('the table of the page', () => {
  it('allows what it holds, and nothing in a final state', () => {
    expect(isAllowed('running', 'interrupt')).toBe(true)
    expect(isAllowed('awaiting_user', 'interrupt')).toBe(false)
    expect(COMMANDS.filter((command) => isAllowed('complete', command) || isAllowed('aborted', command))).toEqual([])
    expect([isFinal('complete'), isFinal('running')]).toEqual([true, false])
    expect(commandBetween('complete', 'running', false)).toBeUndefined()
  })

  it('has a line inside both diagrams for each command', () => {
    for (const { steps, states, width, height } of [WIDE, TALL]) {
      expect(Object.keys(steps).sort()).toEqual(['create', ...COMMANDS].sort())
      expect(Object.keys(states)).toEqual(
        expect.arrayContaining(Object.values(LIFECYCLE).map(({ to }) => to as string)),
      )
      for (const node of Object.values(states)) {
        expect(node.x + node.width).toBeLessThanOrEqual(width)
        expect(node.y + node.height).toBeLessThanOrEqual(height)
      }
    }
  })
})
