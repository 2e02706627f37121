import { describe, expect, it } from 'vitest'
import type { Observation } from '../../api/types.ts'
import type { Step } from './steps.ts'
import { describeCounts, filterWork, indexWork } from './work-index.ts'

function step(sequence: number, ...observations: Observation[]): Step {
  const at = `2026-01-01T00:00:0${sequence}Z`
  const rest = { agent: undefined, id: `w${sequence}`, parents: [], kind: 'step', state: 'running', unreadable: 0 }
  return { sequence, at, isToolCall: false, observations, ...rest }
}

describe('indexWork', () => {
  it('counts reads and writes of a file, with hash and size of the last write and the last step', () => {
    const { files } = indexWork([
      step(1, { kind: 'fileWrite', path: 'a', hash: 'one', bytes: 1 }, { kind: 'fileRead', path: 'b' }),
      step(2, { kind: 'fileWrite', path: 'a', hash: 'two' }),
      step(3, { kind: 'fileRead', path: 'a' }),
    ])
    expect(files).toEqual([
      {
        path: 'a',
        reads: 1,
        writes: 2,
        hash: 'two',
        bytes: undefined,
        last: { sequence: 3, at: '2026-01-01T00:00:03Z' },
      },
      {
        path: 'b',
        reads: 1,
        writes: 0,
        hash: undefined,
        bytes: undefined,
        last: { sequence: 1, at: '2026-01-01T00:00:01Z' },
      },
    ])
  })

  it('keeps the last run of a command and counts its failures', () => {
    const { commands } = indexWork([
      step(1, { kind: 'command', command: 'test', exitCode: 2, output: 'FAIL', omitted: 9 }),
      step(2, { kind: 'command', command: 'test', exitCode: 0 }, { kind: 'command', command: 'build' }),
    ])
    expect(
      commands.map(({ command, runs, failures, exitCode, output }) => [command, runs, failures, exitCode, output]),
    ).toEqual([
      ['build', 1, 0, undefined, undefined],
      ['test', 2, 1, 0, undefined],
    ])
  })

  it('separates decisions, notes and plans, newest first, and names the state change of a note', () => {
    const { notes, texts } = indexWork([
      step(1, { kind: 'note', id: 'n1', text: 'Decision: twice' }, { kind: 'plan', id: 'p1', text: 'First this' }),
      step(2, { kind: 'note', id: 'n2', text: 'Decision:', about: 'question' }),
    ])
    expect(notes.map(({ kind, text, about }) => [kind, text, about])).toEqual([
      ['note', 'Decision:', 'question'],
      ['plan', 'First this', undefined],
      ['decision', 'twice', undefined],
    ])
    expect(texts.get('n1')).toBe('twice')
  })

  it('adds each decision stated by a relation once', () => {
    const edges = [
      { from: 'note:n1', label: 'decidedIn', to: 'task:session' },
      { from: 'decision:use B', label: 'decidedIn', to: 'task:session' },
      { from: 'decision:use B', label: 'decidedIn', to: 'task:session' },
      { from: 'note:n2', label: 'mentions', to: 'task:session' },
    ]
    const { notes } = indexWork([
      step(
        1,
        { kind: 'note', id: 'n1', text: 'Use A' },
        { kind: 'relations', edges },
        { kind: 'note', id: 'n2', text: 'C' },
      ),
    ])
    expect(notes.map(({ kind, text }) => [kind, text])).toEqual([
      ['decision', 'use B'],
      ['note', 'C'],
      ['decision', 'Use A'],
    ])
  })
})

describe('filterWork', () => {
  it('keeps entries that contain every word, ignoring case', () => {
    const things = indexWork([
      step(
        1,
        { kind: 'fileRead', path: 'src/Pool.ts' },
        { kind: 'fileRead', path: 'src/other.ts' },
        { kind: 'command', command: 'test pool' },
        { kind: 'note', id: 'n', text: 'The POOL is in src' },
      ),
    ])
    const found = filterWork(things, ' pool  SRC ')
    expect(found.files.map(({ path }) => path)).toEqual(['src/Pool.ts'])
    expect(found.commands).toEqual([])
    expect(found.notes).toHaveLength(1)
    expect(filterWork(things, '').files).toHaveLength(2)
  })
})

describe('describeCounts', () => {
  it('counts by kind', () => {
    const read: Observation = { kind: 'fileRead', path: 'a' }
    expect(describeCounts([read, { kind: 'plan', id: 'p', text: 'x' }, read])).toBe('2 files read, 1 plan')
    expect(describeCounts([])).toBe('no observations')
  })
})
