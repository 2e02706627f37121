import { describe, expect, it } from 'vitest'
import type { Json, SessionEvent } from '../../api/types.ts'
import { describeEvent, describeObservation, observationsIn, stateIn } from './describe.ts'

const event = (type: string, parts?: Json, more: Partial<SessionEvent> = {}) =>
  ({ type, content: 'content', ...(parts !== undefined && { parts }), ...more }) as SessionEvent
const text = (type: string, parts?: Json, more: Partial<SessionEvent> = {}) =>
  describeEvent(event(type, parts, more)).text

describe('an event on one line', () => {
  it('names the speaker', () => {
    expect(describeEvent(event('user_message'))).toMatchObject({ label: 'user', text: 'content' })
    expect(describeEvent(event('model_message', undefined, { agentId: 'coach' }))).toMatchObject({ label: 'coach' })
  })

  it('adds the role where the name could be mistaken for another', () => {
    const label = (type: string, agentId: string) => describeEvent(event(type, undefined, { agentId })).label
    expect(label('model_message', 'user')).toBe('user (assistant)')
    for (const name of ['User', ' USER ', 'ｕｓｅｒ', 'user', 'system', 'u\u200bser']) {
      expect(label('model_message', name)).toBe(`${name} (assistant)`)
    }
    expect(label('model_message', 'assistant')).toBe('assistant')
    expect(label('user_message', 'user')).toBe('user')
    expect(label('user_message', 'coach')).toBe('coach (user)')
    expect(label('user_message', 'x'.repeat(500))).toMatch(/^x{40}… \(user\)$/)
  })

  it('says what changed', () => {
    expect(text('state_changed', { op: 'merge', patch: { a: 1, b: null } })).toBe('a = 1, b removed')
    expect(text('state_changed', { op: 'replace', value: {} })).toBe('replaced by {}')
    expect(text('state_changed', { op: 'add', key: 'files', value: 'a.ts' })).toBe('files: added a.ts')
    expect(text('state_changed', { op: 'increment', key: 'n', by: -2 })).toBe('n − 2')
    expect(text('agent_changed', { from: 'a', to: 'b' })).toBe('a → b')
    expect(text('agent_transition', { from: 'a', to: 'b', context: {} })).toBe('a → b: content')
    expect(text('validation_gate', { gate: 2 })).toBe('2 passed: content')
    expect(text('handoff_taken', {}, { agentId: 'b' })).toBe('by b')
  })

  it('shows a command as it was typed, and of an imported line what other lines do not say', () => {
    const typed = '<command-name>/compact</command-name>\n<command-args>now</command-args>'
    expect(text('user_message', undefined, { content: typed })).toBe('/compact now')
    const line = (entry: Json) => text('x.claude-code.a', { line: 7, entry }, { content: '' })
    const common = { type: 'progress', uuid: 'u', parentUuid: null, cwd: '/home/ada', version: '2' }
    expect(line({ ...common, data: { hookName: 'Stop' } })).toBe('{ "hookName": "Stop" }')
    expect(line({ ...common, durationMs: 5, data: {} })).toBe('{ "durationMs": 5, "data": {} }')
    expect(line(common)).toBe('{}')
    expect(line(5)).toBe('{ "line": 7, "entry": 5 }')
  })

  it('shows the new state and why', () => {
    const asked = event('status_changed', { status: { state: 'awaiting_user', question: 'Which?' } })
    expect(describeEvent(asked)).toMatchObject({ text: 'Which?', state: 'awaiting_user' })
    expect(stateIn(asked)).toBe('awaiting_user')
    expect(stateIn(event('status_changed', { status: { state: 'elsewhere' } }))).toBeUndefined()
    expect(text('status_changed', { status: { state: 'complete', endedBy: 'caller' } })).toBe('ended by the caller')
  })

  it('shows observations', () => {
    const observations = [
      { kind: 'note', id: 'n', text: 'repeats', about: 'question' },
      { kind: 'fileRead', path: 'a.ts' },
      { kind: 'fileWrite', path: 'b.ts' },
      { kind: 'command', command: 'npm test', exitCode: 1 },
      { kind: 'plan', id: 'p', text: 'first this' },
      { kind: 'relations', edges: [] },
    ]
    expect(text('work_committed', { kind: 'step', observations })).toBe(
      'step: read a.ts, wrote b.ts, ran npm test (exit 1), plan: first this, 0 relations',
    )
    expect(
      observationsIn(event('work_committed', { observations: [7, null, { kind: 'odd' }] })).map(describeObservation),
    ).toEqual(['{ "kind": "odd" }'])
  })

  it('describes runs, steps, wakes, requests and rewinds', () => {
    const line = (...given: Parameters<typeof event>) => describeEvent(event(...given))
    expect(line('run_started', { generation: 3, worker: 'a' })).toMatchObject({ label: 'run 3', text: 'started by a' })
    expect(line('run_started', { generation: 1 }).text).toBe('started')
    expect(line('run_finished', { generation: 3, outcome: 'failed' })).toMatchObject({ text: 'content', run: 'failed' })
    expect(line('run_finished', { outcome: 'odd' }).run).toBeUndefined()
    expect(text('run_finished', { outcome: 'failed', retryAt: 'soon' })).toBe('content (next try at soon)')
    expect(text('cancel_requested')).toBe('asked to stop: content')
    expect(text('cancel_requested', undefined, { content: '' })).toBe('asked to stop')
    expect(text('step_completed', { key: 'fetch', result: { ok: true } })).toBe('fetch → { "ok": true }')
    expect(text('step_completed', { key: 'fetch' })).toBe('fetch')
    expect(text('wake_scheduled', { at: 'noon', key: 'daily', prompt: 'Go on' })).toBe('at noon (daily): Go on')
    expect(text('wake_fired', { id: 'w' })).toBe('its time has come')
    expect(text('request_opened', { id: 'r', kind: 'approval' })).toBe('approval: content')
    expect(text('request_resolved', { id: 'r', value: true })).toBe('content resolved: true')
    expect(text('rewound', { to: 7, restored: {} })).toBe('to event 7: content')
    expect(text('rewound', { to: 7 }, { content: '' })).toBe('to event 7')
  })

  it('tolerates any parts', () => {
    const types = [
      'tool_call',
      'validation_gate',
      'status_changed',
      'state_changed',
      'agent_changed',
      'agent_transition',
    ]
    const more = ['handoff_taken', 'work_committed', 'session_compacted', 'envelope_updated', 'x.mine', 'elsewhere']
    const runs = ['run_started', 'run_finished', 'step_completed', 'wake_scheduled', 'request_resolved', 'rewound']
    const odd = [
      null,
      7,
      'text',
      [],
      [{}],
      {},
      { status: 7 },
      { op: 'merge' },
      { op: 'merge', patch: [] },
      { context: 7 },
    ]
    for (const type of [...types, ...more, ...runs]) {
      for (const parts of odd as Json[]) expect(typeof text(type, parts), type).toBe('string')
    }
    expect(text('x.mine', { a: 1 }, { content: '' })).toBe('{ "a": 1 }')
  })
})
