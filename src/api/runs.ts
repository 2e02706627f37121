import type { Session, WriteOptions } from '../api.ts'
import type { Json } from '../domain/json.ts'
import type { RunOutcome } from '../domain/run.ts'

/** Options of `session.run()`. */
export interface RunOptions extends WriteOptions {
  /** Name of the worker, for people. */
  worker?: string
  /** Milliseconds until the lease expires; the run renews it by itself. 1000 to 1 hour. @default 30000 */
  ttlMs?: number
  /**
   * What to do while another run is live: throw `RUN_ACTIVE`, wait for its end, or ask it to stop and wait.
   * @default 'reject'
   */
  onBusy?: 'reject' | 'wait' | 'interrupt'
  /** Milliseconds to wait at most; then `RUN_ACTIVE`. @default 60000 */
  waitMs?: number
}

/** Options of `tl.claim()`. */
export interface ClaimOptions {
  /** Name of the worker, for people. */
  worker: string
  /** Only sessions of this chatmode. */
  chatmode?: string
  /** Only sessions in which one of these agents, at most 50, is active. */
  agents?: readonly string[]
  /** As in {@link RunOptions}. @default 30000 */
  ttlMs?: number
  /** Ends the wait: `claim` then throws its reason. */
  signal?: AbortSignal
}

/** What a step's function gets. */
export interface StepContext {
  /** The run's signal. */
  readonly signal: AbortSignal
}

/**
 * One worker's stretch of work on a session: a session whose writes throw `RUN_LOST` once another run has begun. End it
 * with `finish` or `fail`; one that is left with `await using` without either counts as failed.
 */
export interface Run extends Session, AsyncDisposable {
  readonly runId: string
  /** 1, 2, 3 … in the session. */
  readonly generation: number
  /** Fires when the work has to stop; its reason is a `RunStopped`. */
  readonly signal: AbortSignal
  /**
   * Returns the recorded result for this key, or runs the function, records its result as JSON and returns it as it was
   * recorded. Keys are session-wide: a loop that starts over repeats nothing that was recorded. A failure is not
   * recorded.
   */
  step<T extends Json | undefined>(key: string, work: (context: StepContext) => T | Promise<T>): Promise<T>
  step(key: string, work: (context: StepContext) => void | Promise<void>): Promise<void>
  /** Ends the run. It counts as cancelled or interrupted if it was asked to stop, else as completed. */
  finish(options?: { note?: string }): Promise<void>
  /** Ends the run as failed. The session is tried again after a while, and parked after five failures in a row. */
  fail(error: unknown): Promise<void>
}

/** A run of a session as its log tells it. */
export interface RunRecord {
  id: string
  generation: number
  worker?: string
  startedAt: string
  /** Sequence of `run_started`. */
  sequence: number
  finishedAt?: string
  outcome?: RunOutcome
  /** The note or the error it ended with. */
  note?: string
}

/** A time at which a session needs work. */
export interface ScheduledWake {
  id: string
  at: string
  key?: string
  prompt?: string
}
