import { describe, expect, it } from 'vitest'
import { applyStateChange, isChangeNeeded, removeHandoff, type Scratchpad, type StateChange } from './scratchpad.ts'

const field = (key: string) => `patch.${key}`
const refusal = (code: string, name: string) => expect.objectContaining({ code, field: name })

describe('a change of the scratchpad', () => {
  it.each<[string, Scratchpad, StateChange, Scratchpad]>([
    ['merge', { a: 1, b: 2 }, { op: 'merge', patch: { a: null, c: 3 } }, { b: 2, c: 3 }],
    ['replace', { a: 1 }, { op: 'replace', value: { b: 2 } }, { b: 2 }],
    ['add', { a: [1] }, { op: 'add', key: 'a', value: 2 }, { a: [1, 2] }],
    ['add to nothing', {}, { op: 'add', key: 'a', value: 2 }, { a: [2] }],
    ['increment', { a: 1 }, { op: 'increment', key: 'a', by: 2 }, { a: 3 }],
    ['increment nothing', {}, { op: 'increment', key: 'a', by: -1 }, { a: -1 }],
    ['add to what is no list', { a: 1 }, { op: 'add', key: 'a', value: 2 }, { a: 1 }],
    ['increment what is no number', { a: 'x' }, { op: 'increment', key: 'a', by: 1 }, { a: 'x' }],
    ['add to a name every object has', {}, { op: 'add', key: 'toString', value: 1 }, { toString: [1] as never }],
  ])('%s', (_, before, change, after) => {
    expect(applyStateChange(before, change)).toEqual(after)
  })

  it('leaves the one before as it was', () => {
    const before = { list: [1], n: 1 }
    applyStateChange(before, { op: 'add', key: 'list', value: 2 })
    applyStateChange(before, { op: 'increment', key: 'n', by: 2 })
    expect(before).toEqual({ list: [1], n: 1 })
  })

  it('is not needed if the list has the value, in any key order', () => {
    const pad = { list: [{ a: 1, b: [null] }, [1, 2], 'x', null, 0] }
    const held = [{ b: [null], a: 1 }, [1, 2], 'x', null, 0]
    for (const value of held) expect(isChangeNeeded(pad, { op: 'add', key: 'list', value }, field)).toBe(false)
    expect(isChangeNeeded({ list: [[1]] }, { op: 'add', key: 'list', value: [1, 2] }, field)).toBe(true)
    expect(applyStateChange({}, { op: 'increment', key: 'toString', by: 1 })).toEqual({ toString: 1 })
    const others = [{ a: 1 }, { a: 1, b: [null], c: 1 }, [2, 1], [1], 'y', false, { a: 1, c: [null] }, { 0: 1, 1: 2 }]
    for (const value of others) expect(isChangeNeeded(pad, { op: 'add', key: 'list', value }, field)).toBe(true)
  })

  it('is refused where it does not fit', () => {
    const pad = { text: 'x', n: Number.MAX_VALUE }
    const refused = (change: StateChange, name: string) =>
      expect(() => isChangeNeeded(pad, change, field)).toThrow(refusal('VALIDATION', name))
    refused({ op: 'add', key: 'text', value: 1 }, 'key')
    refused({ op: 'increment', key: 'text', by: 1 }, 'key')
    refused({ op: 'increment', key: 'n', by: Number.MAX_VALUE }, 'by')
    refused({ op: 'add', key: 'current_task', value: 'x' }, 'key')
    refused({ op: 'add', key: 'handoff_context', value: 'x' }, 'key')
    refused({ op: 'increment', key: 'blockers', by: 1 }, 'key')
    refused({ op: 'add', key: '__proto__', value: 1 }, 'scratchpad')
    expect(() => isChangeNeeded({}, { op: 'add', key: 'current_task', value: 'x' }, field)).toThrow(
      "'current_task' must be text, not a list",
    )
    refused({ op: 'merge', patch: { blockers: [null] } }, 'patch.blockers')
    refused({ op: 'merge', patch: { handoff_context: { from_chatmode: 1 } } }, 'patch.handoff_context')
    refused({ op: 'merge', patch: { handoff_context: [] } }, 'patch.handoff_context')
  })

  it('may hold every typed key in its form, and any other', () => {
    const value: Scratchpad = {
      current_task: 't',
      spec_file: 's',
      files_in_progress: ['f'],
      validation_gates_passed: [1, 2],
      blockers: [],
      handoff_context: { from_chatmode: 'c', artifacts_created: [], key_decisions: ['d'], own: 1 },
      own: { anything: [null] },
    }
    expect(isChangeNeeded({}, { op: 'replace', value }, field)).toBe(true)
    expect(removeHandoff(value)).not.toHaveProperty('handoff_context')
  })
})
