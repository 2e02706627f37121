import { RunLostError } from '../../domain/errors.ts'
import type { SessionStore } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import type { Deps } from '../kernel/deps.ts'

/** The dependencies of a call that is part of a run. */
export function depsOfRun(deps: Deps, sessionId: string, generation: number): Deps {
  return { ...deps, run: { sessionId, generation }, store: fencedStore(deps.store, sessionId, generation) }
}

/** The store as a run uses it: writes to its session are refused once another run has begun or the run is over. */
function fencedStore(store: Store, sessionId: string, generation: number): Store {
  const writes: Pick<SessionStore, 'append' | 'decide'> = {
    append: (request) => store.append(request.sessionId === sessionId ? { ...request, run: generation } : request),
    decide: (request) => {
      if (request.sessionId !== sessionId) return store.decide(request)
      return store.decide({
        ...request,
        decide(view, last) {
          const { run, endedAt } = view.record
          // an ended session is refused as such
          if (endedAt === undefined && run?.generation !== generation) throw new RunLostError({ sessionId, generation })
          return request.decide(view, last)
        },
      })
    },
  }
  return { ...store, ...writes }
}
