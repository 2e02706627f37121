import type { Throughline } from '../api.ts'
import { KeyedMutex } from '../features/kernel/keyed-mutex.ts'
import { ClaimedRuns, type FindRun, findHeld, withRuns } from './claimed-runs.ts'

/** What the tools work with: the sessions and memories of one user. */
export interface ToolContext {
  /** Sees only what belongs to the user. Writes to the session of a claimed run belong to that run. */
  readonly tl: Throughline
  /** The same, for calls that belong to no run. */
  readonly plain: Throughline
  readonly userId: string
  /** Runs the writes to one session in order. */
  readonly sessionMutex: KeyedMutex
  /** By session: the note that could not be written and is still staged in the process. */
  readonly unwrittenNotes: Map<string, string>
  /** The runs that this process holds for the client. */
  readonly runs: ClaimedRuns
  readonly findRun: FindRun
  /** Aborted when the client has left: it gets no response. */
  readonly gone?: AbortSignal
  /** Called with unexpected errors. */
  readonly report: (error: unknown) => void
}

/** The runs of a client, and when it has left. */
export interface ClientRuns {
  readonly runs: ClaimedRuns
  /** @default finds those that this process holds */
  readonly findRun?: FindRun
  readonly gone?: AbortSignal
}

export function createToolContext(
  tl: Throughline,
  userId: string,
  report: ToolContext['report'],
  { runs, findRun = findHeld(runs), gone }: ClientRuns = { runs: new ClaimedRuns() },
): ToolContext {
  return {
    tl: withRuns(tl, runs, findRun),
    plain: tl,
    userId,
    sessionMutex: new KeyedMutex(),
    unwrittenNotes: new Map(),
    runs,
    findRun,
    ...(gone !== undefined && { gone }),
    report,
  }
}
