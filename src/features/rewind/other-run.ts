import { RunActiveError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import { defined } from '../../domain/optional.ts'
import { isRunLive } from '../../domain/run.ts'
import type { Deps } from '../kernel/deps.ts'

/** Throws `RunActiveError` if a run works on the session, unless the call is part of that run. */
export function checkNoOtherRun({ run: own }: Pick<Deps, 'run'>, view: SessionView, at: string): void {
  const { id: sessionId, run } = view.record
  // the store of a call that is part of a run refuses it once the run is over
  if (run === undefined || own?.sessionId === sessionId || !isRunLive(view, at)) return
  throw new RunActiveError(defined({ sessionId, runId: run.id, worker: run.worker }))
}
