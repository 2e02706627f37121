import { RunActiveError } from './errors.ts'
import type { SessionEvent } from './event.ts'
import type { SessionView } from './fold.ts'
import { defined } from './optional.ts'
import type { LiveRun, SessionRecord } from './record.ts'

/** How a run ended. */
export const RUN_OUTCOMES = ['completed', 'failed', 'cancelled', 'interrupted', 'lost'] as const

/** One of {@link RUN_OUTCOMES}. `lost`: its lease expired and the next run took over. */
export type RunOutcome = (typeof RUN_OUTCOMES)[number]

const OUTCOMES: ReadonlySet<unknown> = new Set(RUN_OUTCOMES)

/** Whether the value is a {@link RunOutcome}. */
export function isRunOutcome(value: unknown): value is RunOutcome {
  return OUTCOMES.has(value)
}

/** Why a run has to stop. */
export const STOP_REASONS = ['cancelled', 'interrupted', 'aborted', 'ended', 'purged', 'lost'] as const

/** One of {@link STOP_REASONS}. */
export type StopReason = (typeof STOP_REASONS)[number]

/** A time at which the session needs work. */
export interface Wake {
  id: string
  at: string
  /** What the caller named it: another wake with the same key replaces it. */
  key?: string
  prompt?: string
}

/** What is known of a session's runs, apart from the live one, which the record shows. */
export interface RunView {
  /** Number of the last run. */
  generation: number
  /** User messages of the session when that run began. */
  turns: number
  /** How the last run that is over ended. */
  outcome?: RunOutcome
  /** Runs that failed since the last one that completed. */
  failures: number
  /** When a failed run may be tried again; absent if it is not. */
  retryAt?: string
  /** When the session was woken, or a request resolved, after the last run began. */
  wantedAt?: string
  /** Wakes that have not fired, by time. */
  wakes: readonly Wake[]
}

const NO_RUNS: RunView = { generation: 0, turns: 0, failures: 0, wakes: [] }

/** Parts of `run_started`. */
export interface RunStartedParts {
  runId: string
  generation: number
  worker?: string
  /** User messages of the session at that time. */
  turns: number
}

/** Parts of `run_finished`; a note or an error is its content. */
export interface RunFinishedParts {
  runId: string
  generation: number
  outcome: RunOutcome
  /** When a failed run may be tried again; absent if it is not. */
  retryAt?: string
}

/** Applies an event of the runs of a session. */
export function evolveRun(view: SessionView, event: SessionEvent): SessionView {
  const before = view.run ?? NO_RUNS
  switch (event.type) {
    case 'run_started': {
      const { runId, generation, worker, turns } = event.parts as unknown as RunStartedParts
      const { wantedAt: _seen, retryAt: _over, ...kept } = before
      const live: LiveRun = defined({ id: runId, generation, worker, startedAt: event.createdAt })
      return { ...view, record: { ...view.record, run: live }, run: { ...kept, generation, turns } }
    }
    case 'run_finished': {
      const { outcome, retryAt } = event.parts as unknown as RunFinishedParts
      const failures = outcome === 'completed' ? 0 : before.failures + (outcome === 'failed' ? 1 : 0)
      const { retryAt: _before, ...kept } = before
      return { ...withoutLiveRun(view), run: { ...kept, outcome, failures, ...(retryAt !== undefined && { retryAt }) } }
    }
    case 'cancel_requested': {
      const { run } = view.record
      if (run === undefined) return view
      const cancelled = defined({ at: event.createdAt, reason: event.content || undefined })
      return { ...view, record: { ...view.record, run: { ...run, cancelled } } }
    }
    case 'wake_scheduled': {
      const wake = event.parts as unknown as Wake
      const others = before.wakes.filter(({ id, key }) => id !== wake.id && (key === undefined || key !== wake.key))
      return { ...view, run: { ...before, wakes: [...others, wake].sort((a, b) => compare(a.at, b.at)) } }
    }
    case 'wake_fired': {
      const { id } = event.parts as unknown as Pick<Wake, 'id'>
      const wakes = before.wakes.filter((wake) => wake.id !== id)
      return { ...view, run: { ...before, wakes, wantedAt: event.createdAt } }
    }
    case 'request_resolved':
      return { ...view, run: { ...before, wantedAt: event.createdAt } }
    default:
      return view
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/** Notes in the live run, if there is one, that the user interrupted it. */
export function withInterruptedRun(view: SessionView, { createdAt }: SessionEvent): SessionView {
  const { run } = view.record
  return run === undefined ? view : { ...view, record: { ...view.record, run: { ...run, interruptedAt: createdAt } } }
}

/** The views without the live run and its lease. */
export function withoutLiveRun({
  leaseUntil: _over,
  record: { run: _live, ...record },
  ...view
}: SessionView): SessionView {
  return { ...view, record }
}

/** Whether a run is live at that time: one whose lease has expired is lost. */
export function isRunLive({ record, leaseUntil }: Pick<SessionView, 'record' | 'leaseUntil'>, at: string): boolean {
  return record.run !== undefined && leaseUntil !== undefined && leaseUntil > at
}

/** Repaired views: they keep the lease of the live run, which is not of the log. */
export function withStoredLease(view: SessionView, stored: { generation?: number; leaseUntil?: string }): SessionView {
  const { generation, leaseUntil } = stored
  const isSame = view.record.run !== undefined && view.record.run.generation === generation
  return view.leaseUntil === undefined && isSame && leaseUntil !== undefined ? { ...view, leaseUntil } : view
}

/** Throws `RunActiveError` while a run is live. */
export function requireNoLiveRun(view: Pick<SessionView, 'record' | 'leaseUntil'>, at: string): void {
  const { id: sessionId, run } = view.record
  if (run === undefined || !isRunLive(view, at)) return
  throw new RunActiveError(defined({ sessionId, runId: run.id, worker: run.worker }))
}

/** Whether a session in this state can be worked on. */
export function takesWork(state: SessionRecord['status']['state']): boolean {
  return state === 'running' || state === 'interrupted'
}

/**
 * Since when, or from when on, the session needs work; `undefined` if it needs none. A live run counts as work that is
 * due when its lease expires.
 */
export function dueAt({ record, run, leaseUntil }: SessionView): string | undefined {
  if (record.endedAt !== undefined || !takesWork(record.status.state)) return undefined
  if (record.run !== undefined) return leaseUntil ?? record.run.startedAt
  if (run === undefined || run.generation === 0) return earliest([record.startedAt])
  return earliest([
    run.wantedAt,
    record.turns > run.turns ? record.lastActivityAt : undefined,
    run.retryAt,
    run.wakes[0]?.at,
  ])
}

function earliest(times: readonly (string | undefined)[]): string | undefined {
  return times.filter((time) => time !== undefined).sort()[0]
}

/** Failed runs after which a session is parked: it waits for a message, a wake or a resolved request. */
const MOST_FAILURES = 5
/** Milliseconds until the first retry; each further one waits four times as long. */
const FIRST_RETRY_MS = 1000

/** When a session may be tried again after this many failed runs; `undefined` if it is parked. */
export function retryTime(failures: number, at: string): string | undefined {
  if (failures >= MOST_FAILURES) return undefined
  return new Date(Date.parse(at) + FIRST_RETRY_MS * 4 ** (failures - 1)).toISOString()
}
