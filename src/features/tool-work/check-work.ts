import type { Difference } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { toolFold } from '../../domain/tools/tool-work.ts'
import type { StoredEdge, WorkMark } from '../../ports/session-store.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { derivedEdges } from './derive.ts'

/** Folds the work of tool calls again, to compare it with what is stored. */
export interface WorkCheck {
  /** Name of the tools, and how far their edges had been derived before the check. */
  readonly tools: string
  readonly mark: WorkMark
  /** The edges of the next event. Those behind the mark may be stored meanwhile, and need not be. */
  add(event: SessionEvent): { edges: StoredEdge[]; isOptional: boolean }
  /** How the mark differs from the log. */
  differences(): Difference[]
}

/** Starts the check of a session. Call it before the head is read. */
export async function checkWork(deps: Deps, sessionId: string): Promise<WorkCheck> {
  const table = await deps.tools()
  const mark = await deps.store.workMark(keyOf(deps, sessionId), table.name)
  const fold = toolFold(table)
  let state = ''
  let last = 0
  return {
    tools: table.name,
    mark,
    add(event) {
      const edges = derivedEdges(fold, event)
      last = event.sequence
      if (last === mark.at) state = fold.state()
      return { edges, isOptional: last > mark.at }
    },
    differences() {
      if (mark.at > last) return [{ sessionId, field: 'work.at', expected: last, actual: mark.at }]
      return state === mark.state ? [] : [{ sessionId, field: 'work.state', expected: state, actual: mark.state }]
    },
  }
}
