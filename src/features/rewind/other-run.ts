import { RunActiveError, RunLostError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import { defined } from '../../domain/optional.ts'
import { isRunLive } from '../../domain/run.ts'

/**
 * Throws `RunActiveError` if a run works on the session, unless it is the caller's own: then `generation` is its number,
 * and `RunLostError` says that it is over.
 */
export function checkNoOtherRun(view: SessionView, at: string, generation?: number): void {
  const { id: sessionId, run } = view.record
  if (generation !== undefined) {
    if (run?.generation !== generation) throw new RunLostError({ sessionId, generation })
  } else if (run !== undefined && isRunLive(view, at)) {
    throw new RunActiveError(defined({ sessionId, runId: run.id, worker: run.worker }))
  }
}
