import { StorageError } from '../../domain/errors.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { isLastPage } from '../../domain/event-size.ts'
import { edgesFrom } from '../../domain/graph.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { ToolTable } from '../../domain/tools/tool-table.ts'
import { TOOL_WORK_TYPES, type ToolFold, toolFold } from '../../domain/tools/tool-work.ts'
import type { StoredEdge, WorkMark } from '../../ports/session-store.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { pacer } from '../kernel/pace.ts'
import { sessionEvent } from '../kernel/stored-event.ts'

/** Edges stored at a time, which takes SQLite 10 ms. */
const MAX_EDGES = 500

export interface DeriveLimits {
  /** Pages of the log to read. @default all */
  pages?: number
  /** Does nothing if the graph of the session was never read. @default false */
  continues?: boolean
  /** Called after each page. @default lets other work of the event loop run */
  pause?: () => Promise<void>
}

/**
 * Derives the edges of tool calls up to the head of the log; returns whether there is no more to do. A mark in the
 * store says how far it came, so that each event is read once.
 */
export async function deriveWork(
  deps: Deps,
  id: string,
  { pages = Number.POSITIVE_INFINITY, continues = false, pause = nextTurn }: DeriveLimits = {},
): Promise<boolean> {
  const tools = await deps.tools()
  for (let read = 0; ; read++) {
    const mark = await deps.store.workMark(keyOf(deps, id), tools.name)
    if (mark.at >= mark.head || (continues && mark.at === 0)) return true
    if (read >= pages) return false
    await derivePage(deps, id, tools, mark)
    await pause()
  }
}

/** Derives the edges of the next page. */
async function derivePage(deps: Deps, id: string, tools: ToolTable, { at, head, state }: WorkMark): Promise<void> {
  const key = keyOf(deps, id)
  const limit = LIMITS.page
  const page = await deps.store.read(key, { after: at, before: head + 1, types: TOOL_WORK_TYPES, order: 'asc', limit })
  const fold = foldFrom(deps, tools, id, state)
  const edges: StoredEdge[] = []
  let to = isLastPage(page, limit) ? head : (page.at(-1)?.sequence ?? head)
  const pace = pacer()
  for (const stored of page) {
    edges.push(...derivedEdges(fold, sessionEvent(id, stored)))
    await pace()
    if (edges.length >= MAX_EDGES) {
      to = stored.sequence
      break
    }
  }
  // false: another process derived the same edges first
  await deps.store.deriveWork({ ...key, tools: tools.name, from: at, to, state: fold.state(), edges })
}

function foldFrom({ store }: Deps, tools: ToolTable, id: string, state: string): ToolFold {
  try {
    return toolFold(tools, state)
  } catch (cause) {
    const advice = 'run throughline rebuild to derive it again'
    throw new StorageError(store.name, `the work mark of session ${id} cannot be read: ${advice}`, { cause })
  }
}

/** The edges of the tool call that an event completes. */
export function derivedEdges(fold: ToolFold, event: SessionEvent): StoredEdge[] {
  const work = fold.add(event)
  // a list of steps would add a node with each change
  const observed = work?.observations.filter(({ kind }) => kind !== 'plan') ?? []
  return edgesFrom(observed, work?.tool).map((edge) => ({ ...edge, sequence: event.sequence }))
}
