import { describe, expect, it } from 'vitest'
import type { Json, SessionEvent } from '../../api/types.ts'
import { answeredCallId } from '../../domain.ts'
import { callDuration, callsIn, hasFailed, LOOK, originOf, outcomeOf } from './tool-calls.ts'

type Given = Partial<SessionEvent> & Pick<SessionEvent, 'type'>

const call = (id: string): Given => ({
  type: 'tool_call',
  content: 'read',
  parts: { id, name: 'read', arguments: '{}' },
})
const result = (toolCallId: string): Given => ({ type: 'tool_result', content: 'done', parts: { toolCallId } })
const message = (...ids: string[]): Given => ({
  type: 'model_message',
  content: '',
  parts: { toolCalls: ids.map((id) => ({ id, name: 'read', arguments: {} })) },
})
const tick: Given = { type: 'x.tick' }
const said: Given = { type: 'user_message', content: 'go on' }

/** A log of these events, of which all but `unloaded` were loaded. */
function logOf(given: readonly Given[], { unloaded = 0, isLive = false } = {}) {
  const events = given.map((one, i) => ({ content: '', createdAt: '2026-01-01T00:00:00Z', ...one, sequence: i + 1 }))
  const peek = (sequence: number) => (sequence === unloaded ? undefined : (events[sequence - 1] as SessionEvent))
  return { peek, head: events.length, isLive, at: (sequence: number) => events[sequence - 1] as SessionEvent }
}

describe('a call', () => {
  it('is found in a tool_call and in a message, even with malformed parts', () => {
    expect(callsIn(logOf([call('a')]).at(1))).toEqual([{ id: 'a', name: 'read', arguments: '{}' }])
    expect(callsIn(logOf([message('a', 'b')]).at(1)).map(({ id }) => id)).toEqual(['a', 'b'])
    for (const parts of [null, 7, 'text', [], {}, { id: 7 }] as Json[]) {
      expect(callsIn({ type: 'tool_call', content: 'x', parts } as SessionEvent)).toMatchObject([
        { id: undefined, name: 'x' },
      ])
      expect(callsIn({ type: 'model_message', content: 'x', parts } as SessionEvent)).toEqual([])
    }
    for (const toolCalls of [7, {}, [null, 7, {}, { name: 'x' }]] as Json[]) {
      expect(callsIn({ type: 'model_message', content: '', parts: { toolCalls } } as unknown as SessionEvent)).toEqual(
        [],
      )
    }
  })

  it('is paired with the result after it', () => {
    const log = logOf([call('a'), call('b'), result('b'), result('a')])
    expect(outcomeOf('a', 1, log)).toEqual({ is: 'result', event: log.at(4) })
    expect(outcomeOf('b', 2, log)).toEqual({ is: 'result', event: log.at(3) })
    expect(originOf(log.at(3), log.peek)).toEqual({ is: 'call', at: 2 })
    expect(originOf(log.at(4), log.peek)).toEqual({ is: 'call', at: 1 })
  })

  it('that a tool_call repeats has its result at the repetition', () => {
    const log = logOf([message('a'), call('a'), result('a')])
    expect(outcomeOf('a', 1, log)).toEqual({ is: 'again', at: 2 })
    expect(outcomeOf('a', 2, log)).toMatchObject({ is: 'result' })
    expect(originOf(log.at(3), log.peek)).toEqual({ is: 'call', at: 2 })
  })

  it('does not take the result of a later call with the same id', () => {
    const log = logOf([message('a'), said, message('a'), result('a')], { isLive: true })
    expect(outcomeOf('a', 1, log)).toEqual({ is: 'none' })
    expect(outcomeOf('a', 3, log)).toEqual({ is: 'result', event: log.at(4) })
    const again = logOf([message('a'), tick, message('a'), result('a')])
    expect(outcomeOf('a', 1, again)).toEqual({ is: 'again', at: 3 })
    const late = logOf([call('a'), said, result('a')])
    expect(outcomeOf('a', 1, late)).toEqual({ is: 'result', event: late.at(3) })
  })

  it('stops waiting after the next user message', () => {
    expect(outcomeOf('a', 1, logOf([call('a'), tick, said], { isLive: true }))).toEqual({ is: 'none' })
    expect(outcomeOf('a', 2, logOf([said, call('a'), tick], { isLive: true }))).toEqual({ is: 'waiting' })
  })

  it('without a result waits while the session is live, and is dangling after', () => {
    expect(outcomeOf('a', 1, logOf([call('a'), tick], { isLive: true }))).toEqual({ is: 'waiting' })
    expect(outcomeOf('a', 1, logOf([call('a'), tick]))).toEqual({ is: 'none' })
    expect(outcomeOf(undefined, 1, logOf([call('a'), tick]))).toEqual({ is: 'none' })
  })

  it('is dangling only after the following events were read', () => {
    expect(outcomeOf('a', 1, logOf([call('a'), tick, tick, result('a')], { unloaded: 3 }))).toEqual({
      is: 'loading',
      missing: 3,
    })
    const many = Array.from({ length: LOOK + 5 }, () => tick)
    expect(outcomeOf('a', 1, logOf([call('a'), ...many], { isLive: true }))).toEqual({ is: 'none', looked: LOOK })
  })
})

describe('a result', () => {
  it('without a call says how many events were searched', () => {
    const orphan = logOf([tick, result('a')])
    expect(originOf(orphan.at(2), orphan.peek)).toEqual({ is: 'nowhere' })
    const broken = { type: 'tool_result', parts: { toolCallId: 7 }, sequence: 2 } as unknown as SessionEvent
    expect(originOf(broken, orphan.peek)).toEqual({ is: 'nowhere' })
    const far = logOf([call('a'), ...Array.from({ length: LOOK }, () => tick), result('a')])
    expect(originOf(far.at(LOOK + 2), far.peek)).toEqual({ is: 'nowhere', looked: LOOK })
  })

  it('is searched only among loaded events', () => {
    const log = logOf([call('a'), tick, result('a')], { unloaded: 2 })
    expect(originOf(log.at(3), log.peek)).toEqual({ is: 'loading', missing: 2 })
  })

  it('that is the second for one call names the first', () => {
    const log = logOf([call('a'), result('a'), result('a')])
    expect(originOf(log.at(3), log.peek)).toEqual({ is: 'another', at: 2 })
  })

  it('shows failure and duration', () => {
    const at = (createdAt: string, parts: Json = {}) => ({ type: 'tool_result', createdAt, parts }) as SessionEvent
    expect(hasFailed(at('', { isError: true }))).toBe(true)
    expect(hasFailed(at('', [true]))).toBe(false)
    expect(callDuration(at('2026-01-01T00:00:00Z'), at('2026-01-01T00:00:01.500Z'))).toBe(1500)
    expect(callDuration(at('2026-01-01T00:00:00Z'), at('2026-01-01T00:00:00Z'))).toBeUndefined()
    expect(callDuration(at('never'), at('2026-01-01T00:00:00Z'))).toBeUndefined()
    expect(answeredCallId(at(''))).toBeUndefined()
  })
})
