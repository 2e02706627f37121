import { describe, expect, it } from 'vitest'
import type { Json, SessionEvent } from '../../api/types.ts'
import { missingFor, RelatedEvents } from './related-events.ts'
import { TurnNumbers } from './turn-numbers.ts'

const of = (type: string, parts?: Json) => ({ type, content: '', ...(parts !== undefined && { parts }) })
const status = (state: string) => of('status_changed', { status: { state } })

function logOf(given: readonly object[], isLive = true) {
  const events = given.map((one, i) => ({ ...one, sequence: i + 1 }) as SessionEvent)
  const known = () => ({ peek: (sequence: number) => events[sequence - 1], head: events.length, isLive })
  return { events, known, at: (sequence: number) => events[sequence - 1] as SessionEvent }
}

describe('related events', () => {
  it('are the same object until something changes', () => {
    const log = logOf([of('session_started'), of('tool_call', { id: 'a' })])
    const links = new RelatedEvents()
    const waiting = links.of(log.at(2), log.known(), new TurnNumbers())
    expect(waiting.outcomes).toEqual([{ is: 'waiting' }])
    expect(links.of(log.at(2), log.known(), new TurnNumbers())).toBe(waiting)
    log.events.push({ ...of('tool_result', { toolCallId: 'a' }), sequence: 3 } as SessionEvent)
    const done = links.of(log.at(2), log.known(), new TurnNumbers())
    expect(done.outcomes).toEqual([{ is: 'result', event: log.at(3) }])
    expect(links.of(log.at(2), { ...log.known(), peek: () => undefined }, new TurnNumbers())).toBe(done)
    expect(links.of(log.at(3), log.known(), new TurnNumbers()).origin).toEqual({ is: 'call', at: 2 })
  })

  it('include the state before a change', () => {
    const log = logOf([of('session_started'), status('awaiting_user'), of('x.a'), status('running'), status('aborted')])
    const was = (sequence: number, peek = log.known().peek) =>
      new RelatedEvents().of(log.at(sequence), { ...log.known(), peek }, new TurnNumbers()).was
    expect([was(2), was(4), was(5)]).toEqual(['running', 'awaiting_user', 'running'])
    // nothing before it was loaded: known only where there is one way into the new state
    expect([was(2, () => undefined), was(4, () => undefined), was(5, () => undefined)]).toEqual([
      'running',
      undefined,
      undefined,
    ])
  })

  it('include the turn number', () => {
    const log = logOf([of('session_started'), of('user_message'), of('user_message')])
    expect(new RelatedEvents().of(log.at(3), log.known(), new TurnNumbers()).turn).toBe(2)
  })

  it('name the event that has to be loaded first', () => {
    const log = logOf([of('tool_call', { id: 'a' }), of('x.a'), of('tool_result', { toolCallId: 'b' })])
    const known = { ...log.known(), peek: () => undefined }
    expect(missingFor(new RelatedEvents().of(log.at(1), known, new TurnNumbers()))).toBe(2)
    expect(missingFor(new RelatedEvents().of(log.at(3), known, new TurnNumbers()))).toBe(2)
    expect(missingFor({ outcomes: [] })).toBeUndefined()
  })
})
