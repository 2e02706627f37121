import { expect, it } from 'vitest'
import { describeChange } from './scratchpad-change.ts'

it('describes a scratchpad change by operation and data', () => {
  expect(describeChange('state_changed', { op: 'merge', patch: { a: null } })).toEqual({
    op: 'merge',
    patch: { a: null },
  })
  expect(describeChange('state_changed', { op: 'replace', value: {} })).toEqual({ op: 'replace', patch: {} })
  expect(describeChange('state_changed', { op: 'add', key: 'k', value: [1] })).toEqual({ op: 'add', patch: { k: [1] } })
  expect(describeChange('state_changed', { op: 'increment', key: 'n', by: -2 })).toEqual({
    op: 'increment',
    patch: { n: -2 },
  })
  expect(describeChange('handoff_taken', { context: { x: 1 } })).toEqual({ op: 'handoff taken', patch: { x: 1 } })
  expect(describeChange('agent_transition', { from: 'a', to: 'b', context: {} })).toEqual({ op: 'handoff', patch: {} })
})

it('shows unknown parts as they are', () => {
  for (const parts of [undefined, null, 'text', [1], { op: 'add' }, { op: 7 }]) {
    expect(describeChange('state_changed', parts)).toEqual({ op: 'change', patch: parts })
  }
})
