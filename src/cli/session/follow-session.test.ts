import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Session, Throughline } from '../../api.ts'
import { SessionNotFoundError, StorageError, type ThroughlineError, UnavailableError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { open } from '../../open/open.ts'
import { followSession } from './follow-session.ts'

let tl: Throughline
beforeEach(async () => {
  tl = await open({ url: 'memory:' })
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await tl.close()
})

/** The session as it is seen over a network: `record()` first goes through `way`. */
function seenOver(session: Session, way: () => Promise<void>): Session {
  const record = async (): Promise<SessionRecord> => {
    await way()
    return await session.record()
  }
  return Object.create(session, { record: { value: record } }) as Session
}

it('survives an outage, sends one request at a time, and ends when the session is purged', async () => {
  const session = await tl.sessions.create({ userId: 'ada' })
  const failures: ThroughlineError[] = []
  let held: Promise<void> | undefined
  let asked = 0
  const seen = seenOver(session, async () => {
    asked++
    await held
    const failure = failures.shift()
    if (failure !== undefined) throw failure
  })
  const following = followSession(seen, 0)
  const next = async () => ((await following.next()).value as SessionEvent).sequence
  expect(await next()).toBe(1)

  failures.push(new StorageError('http', 'no answer'), new UnavailableError('stopping'))
  await vi.advanceTimersByTimeAsync(2000)
  expect(failures).toEqual([])
  await session.append({ type: 'user_message', content: 'still there?' })
  expect(await next()).toBe(2)

  let release = () => {}
  held = new Promise((resolve) => {
    release = resolve
  })
  const before = asked
  await vi.advanceTimersByTimeAsync(5000)
  expect(asked).toBe(before + 1)
  failures.push(new SessionNotFoundError(session.id))
  const last = following.next()
  release()
  await expect(last).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
})
