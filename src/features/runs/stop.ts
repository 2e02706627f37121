import type { SessionRecord } from '../../domain/record.ts'
import type { StopReason } from '../../domain/run.ts'

/** Why the run of this generation has to stop; `undefined` while it may go on. `record` is absent after a purge. */
export function stopOf(record: SessionRecord | undefined, generation: number): Stop | undefined {
  if (record === undefined) return { reason: 'purged' }
  const { run, status, endedAt } = record
  if (endedAt !== undefined) return { reason: status.state === 'aborted' ? 'aborted' : 'ended' }
  if (run?.generation !== generation) return { reason: 'lost' }
  if (run.cancelled !== undefined) {
    const { reason: note } = run.cancelled
    return { reason: 'cancelled', ...(note !== undefined && { note }) }
  }
  return run.interruptedAt === undefined ? undefined : { reason: 'interrupted' }
}

/** Why a run has to stop. */
export interface Stop {
  readonly reason: StopReason
  /** What the caller of `cancel` gave as reason. */
  readonly note?: string
}

const TEXTS: Record<StopReason, string> = {
  cancelled: 'was cancelled',
  interrupted: 'was interrupted by the user',
  aborted: 'is over: its session was aborted',
  ended: 'is over: its session has ended',
  purged: 'is over: its session was purged',
  lost: 'has lost its lease',
}

/** The reason of a run's signal. */
export class RunStopped extends Error {
  override readonly name = 'RunStopped'
  readonly reason: StopReason
  /** What the caller of `cancel` gave as reason. */
  readonly note?: string

  constructor({ reason, note }: Stop) {
    super(`the run ${TEXTS[reason]}${note === undefined ? '' : `: ${note}`}`)
    this.reason = reason
    if (note !== undefined) this.note = note
  }
}
