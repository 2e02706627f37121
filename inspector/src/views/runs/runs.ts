import type { RunFinishedParts, RunStartedParts, SessionEvent, SessionRecord } from '../../api/types.ts'
import { endTime, isObject, isRunOutcome } from '../../domain.ts'
import type { RunState } from '../../parts/run-badge.tsx'
import { runState } from '../../parts/run-state.ts'

/** Events that the runs are read from. */
export const RUN_TYPES = ['run_started', 'run_finished', 'cancel_requested'] as const

/** A run as a bar. Times are in milliseconds. */
export interface RunBar {
  readonly generation: number
  readonly worker: string | undefined
  readonly state: RunState
  readonly from: number
  /** Its end; for a live run the present. */
  readonly to: number
  /** Sequence of `run_started`. */
  readonly first: number
  /** Sequence of `run_finished`. */
  readonly last: number | undefined
  /** The note or the error it ended with. */
  readonly note: string
  /** Somebody asked it to stop. */
  readonly stop: { readonly sequence: number; readonly reason: string } | undefined
  /** When the failed run may be tried again. */
  readonly retryAt: string | undefined
}

/** The runs of a session, newest first. `events` are of {@link RUN_TYPES}, oldest first; `now` is in milliseconds. */
export function runsOf(events: readonly SessionEvent[], record: SessionRecord, now: number): RunBar[] {
  const runs: RunBar[] = []
  let open: RunBar | undefined
  const close = (changes: Partial<RunBar>) => {
    if (open !== undefined) runs.push({ ...open, ...changes })
    open = undefined
  }
  for (const event of events) {
    const at = Date.parse(event.createdAt)
    switch (event.type) {
      case 'run_started':
        close({ to: at })
        open = begun(event, at)
        break
      case 'run_finished':
        close({ to: at, last: event.sequence, ...ending(event) })
        break
      case 'cancel_requested':
        if (open !== undefined) open = { ...open, stop: { sequence: event.sequence, reason: event.content } }
    }
  }
  if (open !== undefined) close(presentState(open, record, now))
  return runs.reverse()
}

function begun({ sequence, parts }: SessionEvent, at: number): RunBar {
  const { generation, worker } = (isObject(parts) ? parts : {}) as Partial<RunStartedParts>
  return {
    generation: Number(generation ?? 0),
    worker: worker === undefined ? undefined : String(worker),
    state: 'unfinished',
    from: at,
    to: at,
    first: sequence,
    last: undefined,
    note: '',
    stop: undefined,
    retryAt: undefined,
  }
}

function ending({ content, parts }: SessionEvent): Partial<RunBar> {
  const { outcome, retryAt } = (isObject(parts) ? parts : {}) as Partial<RunFinishedParts>
  return { note: content, state: isRunOutcome(outcome) ? outcome : 'unfinished', retryAt }
}

/**
 * The state and the end of the last run, if the log has no end of it: it is live, or the session ended during it, or
 * the session is a fork, which has no run.
 */
function presentState(open: RunBar, record: SessionRecord, now: number): Pick<RunBar, 'state' | 'to'> {
  const end = endTime(record, new Date(now).toISOString())
  // the event may arrive before the record that tells of it
  const isNew = open.first > record.head
  if (end === undefined && (isNew || record.run?.generation === open.generation)) {
    return { state: isNew || record.run === undefined ? 'live' : runState(record.run), to: Math.max(open.from, now) }
  }
  return { state: 'unfinished', to: Math.max(open.from, Date.parse(end ?? record.startedAt)) }
}
