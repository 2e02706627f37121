import { setTimeout as delay } from 'node:timers/promises'
import type { UserKey } from '../../ports/recall-index.ts'
import type { CreateResult, ForkRequest, PurgeCounts, SessionKey } from '../../ports/session-store.ts'
import { type HiddenSession, type HiddenSessions, isAbandoned, type Removal } from './hidden-sessions.ts'
import type { ImportWriter } from './imports.ts'
import { HiddenSessionError } from './intake.ts'
import type { MemoryWriter } from './memory-write.ts'
import type { SessionWriter } from './sessions.ts'

/** Pause in milliseconds between two pieces, in which other processes get the lock. */
const PAUSE = 5
/** Interval in milliseconds at which a call looks whether a hidden session is gone. */
const POLL = 20

interface Parts {
  write<T>(work: () => T): Promise<T>
  read<T>(work: () => T): Promise<T>
  hidden: HiddenSessions
  sessions: SessionWriter
  imports: ImportWriter
  memories: Pick<MemoryWriter, 'hideIndex' | 'removePiece'>
}

/** Purges and forks of any size: one short transaction per piece. */
export function longWork({ write, read, hidden, sessions, imports, memories }: Parts) {
  /** Removes the next piece of a session that may be gone meanwhile. */
  function removeNext(sessionId: string): Removal {
    const user = hidden.find(sessionId)
    return user === undefined ? { events: 0, keys: 0, isDone: true } : hidden.remove(sessionId, user)
  }

  /** Removes what the first step of a removal left, and returns the counts of all. */
  async function finishRemoval(sessionId: string, first: Removal): Promise<PurgeCounts> {
    let { events, keys, isDone } = first
    while (!isDone) {
      await delay(PAUSE)
      const next = await write(() => removeNext(sessionId))
      events += next.events
      keys += next.keys
      isDone = next.isDone
    }
    return { events, keys }
  }

  /** Removes hidden sessions one after the other, and returns the counts of all. */
  async function removeAll(sessionIds: readonly string[]): Promise<PurgeCounts> {
    const total = { events: 0, keys: 0 }
    for (const id of sessionIds) {
      const { events, keys } = await finishRemoval(id, await write(() => removeNext(id)))
      total.events += events
      total.keys += keys
    }
    return total
  }

  /** Removes everything of a user but sessions, which must then be indexed again. */
  async function purgeMemories(user: UserKey): Promise<{ memories: number; keys: number }> {
    let { isDone, ...total } = await write(() => {
      memories.hideIndex(user)
      return memories.removePiece(user)
    })
    while (!isDone) {
      await delay(PAUSE)
      const next = await write(() => memories.removePiece(user))
      total = { memories: total.memories + next.memories, keys: total.keys + next.keys }
      isDone = next.isDone
    }
    return total
  }

  async function discard(key: SessionKey): Promise<number> {
    const { events } = await finishRemoval(key.sessionId, await write(() => imports.discard(key)))
    return events
  }

  /** Waits until the process that hid the session is done with it; takes over from one that ended. */
  async function whenGone(sessionId: string): Promise<void> {
    const find = (): HiddenSession | undefined => hidden.find(sessionId)
    for (let found = await read(find); found !== undefined; found = await read(find)) {
      if (isAbandoned(found)) await discard({ sessionId })
      else await delay(POLL)
    }
  }

  /** Writes to a new session, once no hidden session has its id. */
  async function writeNew<T>(work: () => T): Promise<T> {
    for (;;) {
      try {
        return await write(work)
      } catch (error) {
        if (!(error instanceof HiddenSessionError)) throw error
        await whenGone(error.sessionId)
      }
    }
  }

  return {
    finishRemoval,
    removeAll,
    purgeMemories,
    discard,
    writeNew,

    async fork(request: ForkRequest): Promise<CreateResult> {
      let result = await writeNew(() => sessions.fork(request))
      try {
        while (!('outcome' in result)) {
          const copied = result
          await delay(PAUSE)
          result = await write(() => sessions.fork(request, copied))
        }
        return result
      } catch (error) {
        // nobody sees the copy; if this fails too, a sweep removes it
        await discard({ sessionId: request.view.record.id }).catch(() => {})
        throw error
      }
    },
  }
}
