import { describe, expect, it } from 'vitest'
import { call, calling, logOf, model, result, user } from '../../../test/context/history-samples.ts'
import type { SessionEvent } from '../event.ts'
import { danglingCalls, HistoryPairing } from './units.ts'

function paired(log: readonly SessionEvent[]) {
  const pairing = new HistoryPairing()
  for (const event of log.toReversed()) pairing.add(event)
  const units = pairing.units.toReversed()
  return {
    units: units.map(({ event, call: made, results }) => [
      event.sequence,
      ...(made ? [made.id] : []),
      ...results.map(({ sequence }) => sequence),
    ]),
    unanswered: pairing.unanswered.map(({ sequence }) => sequence),
    orphans: pairing.orphans().map(({ sequence }) => sequence),
    dangling: danglingCalls(pairing.units),
  }
}

describe('pairing a history', () => {
  it('makes a unit of each text, and of each call with its results', () => {
    expect(paired(logOf([user('a'), model('b'), call('1'), call('2'), result('2', 'x'), result('1', 'y')]))).toEqual({
      units: [[1], [2], [3, '1', 6], [4, '2', 5]],
      unanswered: [],
      orphans: [],
      dangling: [],
    })
  })

  it('splits a message into its text and its calls', () => {
    const log = logOf([calling('text', '1', '2'), result('1', 'x'), result('2', 'y')])
    expect(paired(log).units).toEqual([[1], [1, '1', 2], [1, '2', 3]])
    expect(paired(logOf([calling('', '1'), result('1', 'x')])).units).toEqual([[1, '1', 2]])
  })

  it('takes the nearest earlier call of an id, and every result of it', () => {
    const log = logOf([call('1'), result('1', 'x'), call('1'), result('1', 'y'), result('1', 'z')])
    expect(paired(log).units).toEqual([
      [1, '1', 2],
      [3, '1', 4, 5],
    ])
  })

  it('takes a call that a message announces and a tool_call repeats as one', () => {
    const log = logOf([calling('text', '1'), call('1'), result('1', 'x')])
    expect(paired(log)).toMatchObject({ units: [[1], [2, '1', 3]], unanswered: [] })
  })

  it('leaves out calls without a result unless they belong to the last message', () => {
    const log = logOf([call('1'), user('go on'), call('2'), call('3'), result('3', 'x')])
    expect(paired(log)).toMatchObject({ units: [[2], [3, '2'], [4, '3', 5]], unanswered: [1], dangling: ['2'] })
    const other = logOf([call('1'), { ...call('2'), agentId: 'other' }])
    expect(paired(other)).toMatchObject({ unanswered: [1], dangling: ['2'] })
    expect(paired(logOf([call('1'), user('stop')]))).toMatchObject({ unanswered: [1], dangling: [] })
  })

  it('names results without a call, in order', () => {
    const log = logOf([result('a', 'x'), user('b'), result('c', 'y'), result('a', 'z')])
    expect(paired(log)).toMatchObject({ units: [[2]], orphans: [1, 3, 4] })
  })
})
