import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database } from 'better-sqlite3'
import { ThroughlineError } from '../../domain/errors.ts'
import { nextTick } from '../next-tick.ts'
import { storageError, whenFree } from './connection.ts'
import { prepared } from './statement.ts'

/** Writes in one transaction at most, so that other processes get the lock in between. */
const MAX_BATCH = 512

/** Milliseconds after which the event loop turns, even if there is more to write: whoever only reads waits no longer. */
const MAX_TURN_MS = 4

interface QueuedWrite {
  run(): unknown
  resolve(value: unknown): void
  reject(error: unknown): void
}

/** Thrown by a write that has written nothing yet: it fails alone, with the cause. */
export class Refusal extends Error {}

/**
 * Group commit: writes that wait at the same moment share one transaction, and so one fsync. Each is acknowledged
 * after that commit with its own result or its own error.
 *
 * A write that throws a `ThroughlineError` or a `Refusal` must have written nothing by then: the others go on.
 */
export interface CommitQueue {
  add<T>(write: () => T): Promise<T>
  /** Resolves when nothing waits any more. */
  idle(): Promise<void>
}

/**
 * `begun` runs first inside each transaction and is told how many writes share it, `beforeCommit` after its writes, `afterwards` when it is
 * over, either way.
 */
export function commitQueue(
  db: Database,
  hooks: { begun?(writes: number): void; beforeCommit(): void; afterwards(committed: boolean): void },
): CommitQueue {
  const waiting: QueuedWrite[] = []
  const begin = prepared(db, 'begin immediate')
  const commit = prepared(db, 'commit')
  let running: Promise<void> | undefined

  async function run(): Promise<void> {
    // one turn of the event loop gathers what other callers are about to write
    await nextTurn()
    let turned = performance.now()
    while (waiting.length > 0) {
      try {
        await whenFree(() => begin.run())
      } catch (error) {
        for (const write of waiting.splice(0)) write.reject(storageError(error))
        await nextTurn()
        continue
      }
      commitTogether(waiting.splice(0, MAX_BATCH))
      // callers that write again at once do so before the next tick; for those whose turn comes by the event loop it turns now and then
      if (performance.now() - turned < MAX_TURN_MS) {
        await nextTick()
      } else {
        await nextTurn()
        turned = performance.now()
      }
    }
    running = undefined
  }

  function commitTogether(batch: QueuedWrite[]): void {
    const acknowledge: (() => void)[] = []
    let current: QueuedWrite | undefined
    try {
      hooks.begun?.(batch.length)
      for (const write of batch) {
        current = write
        acknowledge.push(runWrite(write))
      }
      current = undefined
      hooks.beforeCommit()
      commit.run()
    } catch (error) {
      if (db.inTransaction) db.exec('rollback')
      hooks.afterwards(false)
      // the write that broke fails alone; where the commit itself broke, all do
      const failed = current === undefined ? batch : [current]
      waiting.unshift(...batch.filter((write) => !failed.includes(write)))
      for (const write of failed) write.reject(storageError(error))
      return
    }
    hooks.afterwards(true)
    for (const tell of acknowledge) tell()
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

/** Runs a write and gives what to tell its caller once the transaction is committed. */
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
