import { describe, expect, it } from 'vitest'
import type { Json, SessionEvent } from '../../api/types.ts'
import { parseStep, stepsOf } from './steps.ts'

function event(parts: Json | undefined): SessionEvent {
  const base = { id: 'e', sessionId: 's', sequence: 7, role: 'system', content: '', createdAt: '2026-01-01T00:00:00Z' }
  return { ...base, type: 'work_committed', ...(parts !== undefined && { parts }) } as SessionEvent
}

describe('parseStep', () => {
  it('reads every kind of observation', () => {
    const observations = [
      { kind: 'note', id: 'n', text: 'A', about: 'question' },
      { kind: 'plan', id: 'p', text: 'B' },
      { kind: 'fileRead', path: 'a.ts' },
      { kind: 'fileWrite', path: 'a.ts', hash: 'ff', bytes: 3 },
      { kind: 'command', command: 'ls', exitCode: 1, output: 'x', omitted: 4 },
      { kind: 'relations', edges: [{ from: 'file:a', label: 'calls', to: 'file:b' }] },
    ]
    const step = parseStep(event({ id: 'w2', parents: ['w1'], kind: 'step', state: 'running', observations }))
    expect(step).toEqual({
      sequence: 7,
      at: '2026-01-01T00:00:00Z',
      agent: undefined,
      id: 'w2',
      parents: ['w1'],
      kind: 'step',
      isToolCall: false,
      state: 'running',
      observations,
      unreadable: 0,
    })
  })

  it('counts invalid observations', () => {
    const observations: Json = [
      null,
      3,
      'note',
      [],
      {},
      { kind: 'note', text: 'without an id' },
      { kind: 'fileRead', path: '' },
      { kind: 'command', command: { a: 1 } },
      { kind: 'other', path: 'a.ts' },
      { kind: 'plan', id: 'p', text: 'B' },
    ]
    expect(parseStep(event({ observations }))).toMatchObject({
      observations: [{ kind: 'plan', id: 'p', text: 'B' }],
      unreadable: 9,
    })
  })

  it('drops optional fields of the wrong type', () => {
    const observations: Json = [
      { kind: 'fileWrite', path: 'a', hash: 3, bytes: 'many' },
      { kind: 'command', command: 'ls', exitCode: '0', output: [], omitted: {} },
      { kind: 'relations', edges: { a: 1 } },
      { kind: 'relations', edges: [null, { from: 1, label: 'calls', to: 'b' }] },
    ]
    expect(parseStep(event({ observations })).observations).toEqual([
      { kind: 'fileWrite', path: 'a' },
      { kind: 'command', command: 'ls' },
      { kind: 'relations', edges: [] },
      { kind: 'relations', edges: [] },
    ])
  })

  it.each([[undefined], [null], ['text'], [[1]], [{ observations: 'none', parents: 3, kind: 4, id: {} }]])(
    'reads %j as an empty step',
    (parts) => {
      expect(parseStep(event(parts))).toMatchObject({
        id: '',
        kind: 'step',
        parents: [],
        observations: [],
        unreadable: 0,
      })
    },
  )
})

describe('stepsOf', () => {
  const of = (type: string, sequence: number, parts: Json, content = ''): SessionEvent =>
    ({ ...event(parts), type, sequence, content }) as SessionEvent

  it('lists work commits and tool calls that show work, in order', () => {
    const events = [
      of('tool_result', 2, { toolCallId: 'before' }),
      of('model_message', 3, { toolCalls: [{ id: 'a', name: 'Read', arguments: { file_path: '/app/a.ts' } }] }),
      of('tool_result', 4, { toolCallId: 'a' }),
      of('work_committed', 5, { id: 'w1', observations: [] }),
      of('tool_call', 6, { id: 'b', name: 'Bash', arguments: { command: 'make' } }),
      of('tool_result', 7, { toolCallId: 'b', isError: true }, 'Exit code 2'),
      of('tool_call', 8, { id: 'c', name: 'Grep', arguments: {} }),
      of('tool_result', 9, { toolCallId: 'c' }),
    ]
    const steps = stepsOf(events, { cwd: '/app' })
    expect(steps.map(({ sequence, kind, isToolCall }) => [sequence, kind, isToolCall])).toEqual([
      [4, 'Read', true],
      [5, 'step', false],
      [7, 'Bash', true],
    ])
    expect(steps.flatMap(({ observations }) => observations)).toEqual([
      { kind: 'fileRead', path: 'a.ts' },
      { kind: 'command', command: 'make', exitCode: 2 },
    ])
    expect(stepsOf([])).toEqual([])
  })
})
