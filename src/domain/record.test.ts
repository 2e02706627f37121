import { describe, expect, it } from 'vitest'
import { SessionEndedError } from './errors.ts'
import { checkLive, endTime, isFinal, SESSION_STATES } from './record.ts'

const BEFORE = '2026-01-31T09:29:59.999Z'
const NOW = '2026-01-31T09:30:00.000Z'
const LATER = '2026-01-31T09:30:00.001Z'

describe('the end of a session', () => {
  it('is unknown while it lives', () => {
    expect(endTime({}, NOW)).toBeUndefined()
    expect(endTime({ endedAt: null, expiresAt: null }, NOW)).toBeUndefined()
    expect(endTime({ expiresAt: LATER }, NOW)).toBeUndefined()
  })

  it('is when it ended', () => {
    expect(endTime({ endedAt: BEFORE }, NOW)).toBe(BEFORE)
  })

  it('is when it expired, from that very moment on', () => {
    expect(endTime({ expiresAt: NOW }, NOW)).toBe(NOW)
    expect(endTime({ endedAt: null, expiresAt: BEFORE }, NOW)).toBe(BEFORE)
  })

  it('is when it ended where it has expired too', () => {
    expect(endTime({ endedAt: NOW, expiresAt: BEFORE }, LATER)).toBe(NOW)
  })
})

describe('a session that must be live', () => {
  it('passes while it takes events', () => {
    expect(() => checkLive({ id: 's', expiresAt: LATER }, NOW)).not.toThrow()
  })

  it('is refused with the time of its end', () => {
    const refusal = new SessionEndedError({ sessionId: 's', endedAt: BEFORE })
    expect(() => checkLive({ id: 's', endedAt: BEFORE }, NOW)).toThrow(refusal)
    expect(() => checkLive({ id: 's', expiresAt: BEFORE }, NOW)).toThrow(refusal)
  })
})

describe('a state', () => {
  it('is final when nothing follows it', () => {
    expect(SESSION_STATES.filter(isFinal)).toEqual(['complete', 'aborted'])
  })
})
