import type { SessionView } from '../../domain/fold.ts'
import { requireNoLiveRun } from '../../domain/run.ts'
import type { Deps } from '../kernel/deps.ts'

/** Throws `RunActiveError` if a run works on the session, unless the call is part of that run. */
export function checkNoOtherRun({ run: own }: Pick<Deps, 'run'>, view: SessionView, at: string): void {
  // the store of a call that is part of a run refuses it once the run is over
  if (own?.sessionId !== view.record.id) requireNoLiveRun(view, at)
}
