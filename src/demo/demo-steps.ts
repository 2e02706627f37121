import { finishedSession } from './finished-session.ts'
import { liveSession } from './live-session.ts'
import { memories } from './memories.ts'
import { otherSessions } from './other-sessions.ts'
import type { Cast, Step } from './script.ts'

/** Every step, in order. The session that the user works on last is written last, so it is first in the list. */
export function demoSteps(cast: Cast): Step[] {
  return [...otherSessions(cast), ...finishedSession(cast), ...memories(cast), ...liveSession(cast)]
}
