import type { Graph, GraphQuery, WorkStep, WriteOptions } from '../../api.ts'
import { SessionNotFoundError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import { type Observation, observationsOf, TASK_NODE, type WorkCommit } from '../../domain/graph.ts'
import type { JsonObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isEndOfList } from '../../domain/list-size.ts'
import { defined } from '../../domain/optional.ts'
import type { StoredEdge } from '../../ports/session-store.ts'
import { type Decided, type Draft, type Drafts, decideOn, type KeyedCall } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { walkLog } from '../kernel/history.ts'
import { parse, writeOptions } from '../kernel/parse.ts'
import { graphQuery } from './schema.ts'

export { observeOn, stageObservations } from './staged.ts'

/** Writes the staged observations as one work commit; `undefined` if there were none. */
export async function flushStep(deps: Deps, id: string, options: WriteOptions = {}): Promise<WorkStep | undefined> {
  const { idempotencyKey } = parse(writeOptions, options)
  const { events } = await decideWithWork(
    deps,
    id,
    (view, _at, staged) => (staged.length === 0 ? [] : [workDraft(deps, view, 'step', staged).draft]),
    decideOn,
    { command: ['flushStep'], idempotencyKey },
  )
  const [event] = events
  if (event === undefined) return undefined
  return { ...(event.parts as unknown as WorkCommit), sequence: event.sequence }
}

/** A decision that writes the staged observations in the same append. `run` says which sessions it accepts. */
export async function decideWithWork(
  deps: Deps,
  id: string,
  decide: (view: SessionView, at: string, staged: readonly Observation[]) => Drafts,
  run: typeof decideOn,
  call: KeyedCall,
): Promise<Decided> {
  return await deps.staging.flush(id, async (staged) => {
    const decided = await run(deps, id, (view, at) => decide(view, at, staged), call)
    // an earlier call with the same key may have written them although its caller got no response
    const written = new Set(decided.events.flatMap(observationsOf).map((observation) => JSON.stringify(observation)))
    return [staged.filter((observation) => !written.has(JSON.stringify(observation))), decided]
  })
}

/** The event of the next work commit, and its id. */
export function workDraft(
  deps: Deps,
  { record, lastWork }: Pick<SessionView, 'record' | 'lastWork'>,
  kind: WorkCommit['kind'],
  observations: readonly Observation[],
): { id: string; draft: Draft } {
  const commit: WorkCommit = defined({
    id: deps.newId(),
    parents: lastWork === undefined ? [] : [lastWork],
    kind,
    observations: [...observations],
    state: record.status.state,
    task: record.task,
  })
  const draft: Draft = { type: 'work_committed', content: `Work: ${kind}`, parts: commit as unknown as JsonObject }
  return { id: commit.id, draft }
}

/** Pages of the log whose tool calls one read of the graph adds to it; the rest is added in the background. */
const AT_ONCE = 40

/** The nodes around a node and their edges. */
export async function readGraph(deps: Deps, id: string, query: GraphQuery = {}): Promise<Graph> {
  const { node = TASK_NODE, depth, direction, labels, limit } = parse(graphQuery, query)
  const { deriveWork } = await import('../tool-work/operation.ts')
  const isComplete = await deriveWork(deps, id, { pages: AT_ONCE })
  if (!isComplete) deps.background.wrote(id, false)
  const { name: tools } = await deps.tools()
  const seen = new Set([node])
  const found = new Map<string, StoredEdge[]>()
  let frontier = [node]
  let truncated = false
  for (let level = 0; level < depth && frontier.length > 0 && !truncated; level++) {
    const rows = await deps.store.edges(
      keyOf(deps, id),
      defined({ nodes: frontier, direction, limit: LIMITS.edges, labels, tools }),
    )
    truncated = !isEndOfList(rows, LIMITS.edges)
    const next = new Set<string>()
    for (const row of rows) {
      const key = JSON.stringify([row.from, row.label, row.to])
      const known = found.get(key)
      if (known === undefined && found.size === limit) {
        truncated = true
        continue
      }
      if (known === undefined || known.every(({ sequence }) => sequence !== row.sequence)) {
        found.set(key, [...(known ?? []), row])
      }
      for (const end of [row.from, row.to]) if (!seen.has(end)) next.add(end)
    }
    for (const end of next) seen.add(end)
    frontier = [...next]
  }
  return { node, nodes: [...seen], edges: Array.from(found.values(), edgeOf), truncated: truncated || !isComplete }
}

function edgeOf(rows: StoredEdge[]): Graph['edges'][number] {
  const [{ from, label, to }] = rows as [StoredEdge]
  return { from, label, to, evidence: rows.map(({ evidence, sequence }) => ({ ...JSON.parse(evidence), sequence })) }
}

/** The work on the line of these views, read page by page. */
async function workOf(deps: Deps, { record, hidden }: SessionView) {
  const { workBuilder } = await import('../../domain/work.ts')
  const builder = workBuilder(await deps.tools())
  const range = defined({ last: record.head, line: hidden })
  for await (const page of walkLog(deps, record.id, range)) for (const event of page) builder.add(event)
  return builder.finish()
}

/** A progress report for people. */
export async function progressOf(deps: Deps, id: string): Promise<string> {
  const view = await deps.store.load(keyOf(deps, id))
  if (view === undefined) throw new SessionNotFoundError(id)
  const { formatProgress } = await import('../../domain/progress.ts')
  return formatProgress(view.record, await workOf(deps, view))
}
