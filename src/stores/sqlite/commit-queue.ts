import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { ThroughlineError } from '../../domain/errors.ts'
import { nextTick } from '../next-tick.ts'
import { retryWhileBusy, storageError } from './connection.ts'
import { prepared } from './statement.ts'

/** Most writes in one transaction, so that other processes get the lock in between. */
const MAX_BATCH = 512

/** Longest time without yielding to the event loop while writes are queued, so that reads need not wait longer. */
const MAX_TURN_MS = 4

interface QueuedWrite {
  run(): unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Thrown by a write before it writes anything: only this write fails, with the cause. */
export class Refusal extends Error {}

/**
 * Group commit: queued writes share one transaction, and so one fsync. Each is acknowledged after the commit with its
 * own result or error.
 *
 * A write that throws a `ThroughlineError` or a `Refusal` must not have written anything: the other writes still
 * commit.
 */
export interface CommitQueue {
  add<T>(write: () => T): Promise<T>
  /** Resolves when the queue is empty. */
  idle(): Promise<void>
}

/** `afterBegin` gets the number of writes in the transaction; `afterEnd` runs after a commit or a rollback. */
export function commitQueue(
  db: Database,
  hooks: { afterBegin?(writes: number): void; beforeCommit(): void; afterEnd(committed: boolean): void },
): CommitQueue {
  const waiting: QueuedWrite[] = []
  const begin = prepared(db, 'begin immediate')
  const commit = prepared(db, 'commit')
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    // one turn of the event loop collects the writes of other callers
    await nextTurn()
    let turned = performance.now()
    let again: QueuedWrite[] = []
    while (again.length + waiting.length > 0) {
      try {
        await retryWhileBusy(() => begin.run())
      } catch (error) {
        for (const write of [...again.splice(0), ...waiting.splice(0)]) write.reject(storageError(error))
        await nextTurn()
        continue
      }
      // without new writes: one that fails could hold up the others again
      again = commitTogether(again.length > 0 ? again : waiting.splice(0, MAX_BATCH))
      // callers that write again immediately do so before the next tick; other callers need a turn of the event loop
      if (performance.now() - turned < MAX_TURN_MS) {
        await nextTick()
      } else {
        await nextTurn()
        turned = performance.now()
      }
    }
    running = undefined
  }

  /** Returns the writes to run again, without the one that failed. */
  function commitTogether(batch: QueuedWrite[]): QueuedWrite[] {
    const acknowledge: (() => void)[] = []
    let current: QueuedWrite | undefined
    try {
      hooks.afterBegin?.(batch.length)
      for (const write of batch) {
        current = write
        acknowledge.push(runWrite(write))
      }
      current = undefined
      hooks.beforeCommit()
      commit.run()
    } catch (error) {
      if (db.inTransaction) db.exec('rollback')
      hooks.afterEnd(false)
      // only the broken write fails; if the commit itself broke, all fail
      const failed = current === undefined ? batch : [current]
      for (const write of failed) write.reject(storageError(error))
      return batch.filter((write) => !failed.includes(write))
    }
    hooks.afterEnd(true)
    for (const settle of acknowledge) settle()
    return []
  }

  return {
    add<T>(write: () => T): Promise<T> {
      return new Promise<T>((resolve, reject) => {
        waiting.push({ run: write, resolve: resolve as (value: unknown) => void, reject })
        running ??= run()
      })
    },
    async idle() {
      await running
    },
  }
}

/** Runs a write and returns a function that settles its promise once the transaction is committed. */
function runWrite({ run, resolve, reject }: QueuedWrite): () => void {
  try {
    const value = run()
    return () => resolve(value)
  } catch (error) {
    if (error instanceof Refusal) return () => reject(error.cause)
    if (error instanceof ThroughlineError) return () => reject(error)
    throw error
  }
}
