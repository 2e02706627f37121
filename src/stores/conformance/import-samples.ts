import type { SessionEvent } from '../../domain/event.ts'
import { evolve, initialView, type SessionView } from '../../domain/fold.ts'
import { edgesOf } from '../../domain/graph.ts'
import { type Json, stringifyJson } from '../../domain/json.ts'
import { type UsageChange, UsageRows } from '../../domain/usage.ts'
import type { FoundImport, ImportBlock } from '../../ports/import-store.ts'
import type { ChecksummedEvent, CommitLink, StoredEdge } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { loadView } from './envelope-samples.ts'
import { createRequest, NOON, readChecksummedLog, someEvent } from './samples.ts'

/** A session written in another store. */
export interface ForeignSession {
  readonly sessionId: string
  readonly events: readonly ChecksummedEvent[]
}

type Step = readonly [type: string, parts?: Json]

/** A session log with these options and steps, one second apart. */
export function foreignSession(
  given: Parameters<typeof createRequest>[0] = {},
  steps: readonly Step[] = [],
): ForeignSession {
  const { event, at, view } = createRequest(given)
  const later = steps.map(([type, parts], i) => ({
    ...someEvent(`step ${i + 1}`, type, parts === undefined ? {} : { parts: stringifyJson(parts) }),
    sequence: i + 2,
    createdAt: new Date(Date.parse(at) + (i + 1) * 1000).toISOString(),
  }))
  return { sessionId: view.record.id, events: [{ ...event, sequence: 1, createdAt: at }, ...later] }
}

/** Steps that touch every view. */
export const WORK: readonly Step[] = [
  ['user_message'],
  ['work_committed', work('w1', 'a.ts', 'b.ts')],
  ['state_changed', { op: 'merge', patch: { blockers: ['rain'], depth: -0 } }],
  ['envelope_updated', { personaId: 'barista', metadata: { cups: 2 }, analysis: { intent: 'order' }, batch: 'b1' }],
  ['messages_cleared'],
  ['agent_transition', { from: 'coach', to: 'motivator' }],
  ['user_message'],
  ['work_committed', work('w2', 'b.ts', 'a.ts')],
]

/** The end of a session and its commit at this position of the conversation. */
export function endSteps(position: number, id = `commit ${position}`): Step[] {
  return [
    ['status_changed', { status: { state: 'complete' } }],
    ['session_compacted', { id, position }],
  ]
}

function work(id: string, path: string, imported: string): Json {
  const edges = [{ from: `file:${path}`, label: 'imports', to: `file:${imported}` }]
  const observations = [{ kind: 'fileRead', path }, { kind: 'relations', edges }] // biome-ignore format: a pair
  return { id, parents: [], kind: 'step', observations, state: 'running' }
}

function eventsOf({ sessionId, events }: ForeignSession): SessionEvent[] {
  return events.map(({ parts, checksum: _, ...event }) => ({
    ...event,
    sessionId,
    ...(parts !== undefined && { parts: JSON.parse(parts) }),
  })) as unknown as SessionEvent[]
}

/** The views after an event, by default the last one. */
export function viewAfter(life: ForeignSession, head = life.events.length): SessionView {
  const [first, ...later] = eventsOf(life).slice(0, head)
  return later.reduce(evolve, initialView(first as SessionEvent))
}

function edgesAfter(life: ForeignSession, after: number, head: number): StoredEdge[] {
  return eventsOf(life)
    .slice(after, head)
    .flatMap((event) => edgesOf(event).map((edge) => ({ ...edge, sequence: event.sequence })))
}

function usageAfter(life: ForeignSession, after: number, head: number): UsageChange {
  const usage = new UsageRows()
  for (const event of eventsOf(life).slice(after, head)) usage.add(event)
  return usage.change
}

/** The import block with the events after `after` up to `head`. */
export function blockOf(
  life: ForeignSession,
  after = 0,
  head = life.events.length,
  done = head === life.events.length,
): ImportBlock {
  const events = life.events.slice(after, head)
  return {
    sessionId: life.sessionId,
    after,
    events,
    view: viewAfter(life, head),
    edges: edgesAfter(life, after, head),
    usage: usageAfter(life, after, head),
    done,
  }
}

/** Imports a log in blocks of `size` events. */
export async function importSession(store: Store, life: ForeignSession, size = life.events.length): Promise<void> {
  for (let after = 0; after < life.events.length; after += size) {
    await store.imports.write(blockOf(life, after, Math.min(after + size, life.events.length)))
  }
}

/** Writes a log, or its first events, as if it happened here. */
export async function writeSession(store: Store, life: ForeignSession, head = life.events.length): Promise<void> {
  const { sessionId, events } = life
  let view: SessionView | undefined
  for (const [i, made] of eventsOf(life).slice(0, head).entries()) {
    const { sequence: _, createdAt: at, ...event } = events[i] as ChecksummedEvent
    const after = view === undefined ? initialView(made) : evolve(view, made)
    if (view === undefined) await store.create({ event, at, view: after, reuse: 'none' })
    else {
      const edges = edgesOf(made).map((edge) => ({ ...edge, event: 0 }))
      await store.decide({ sessionId, at, decide: () => ({ events: [event], view: after, edges }) })
    }
    view = after
  }
}

/** Everything the store returns about a session. */
export async function readSession(store: Store, { sessionId }: ForeignSession): Promise<unknown> {
  const view = await loadView(store, { sessionId })
  const { tenant, userId, chatmode, conversationId } = view.record
  return {
    view,
    log: await readChecksummedLog(store, sessionId),
    messages: await store.read({ sessionId }, { types: ['user_message', 'x.rare'], order: 'asc', limit: 1000 }),
    turns: await store.read({ sessionId }, { turns: 2, order: 'desc', limit: 100 }),
    edges: await store.edges({ sessionId }, { limit: 1000 }),
    reaching: await store.edges({ sessionId }, { nodes: ['file:a.ts'], direction: 'in', limit: 1000 }),
    commits: await store.commits({ tenant, conversationId, limit: 100 }),
    active: await store.active({ tenant, userId, chatmode, at: NOON }),
    lists: [
      await store.list({ tenant, limit: 100 }),
      await store.list({ tenant, userId, conversationId, agent: 'motivator', limit: 100 }),
      await store.list({ tenant, state: 'complete', limit: 100 }),
    ],
    ids: await store.sessionIds({ limit: 100, within: { tenant, userId } }),
    totals: await store.totals({ tenant, userId }),
    due: await store.due({
      idleSince: '2027-01-01T00:00:00.000Z',
      at: '2027-01-01T00:00:00.000Z',
      endedBefore: '2027-01-01T00:00:00.000Z',
      limit: 100,
    }),
    envelopes: await store.envelopes.page({ limit: 100 }),
    batch: await store.envelopes.count({ batch: 'b1' }),
    mark: await store.index.mark(sessionId),
    behind: await store.index.behind({ version: 1, limit: 100 }),
  }
}

/** The expected result of `find` after this event. */
export function expectedImport(life: ForeignSession, head: number, isUnfinished: boolean): FoundImport {
  return { view: viewAfter(life, head), lastEventId: life.events[head - 1]?.id ?? '', isUnfinished }
}

/** The details of a rejection. */
export async function detailsOf(refusal: Promise<Error>): Promise<unknown> {
  return ((await refusal) as Error & { details?: unknown }).details
}

/** The commits of a conversation. */
export async function readCommits(store: Store, conversationId: string): Promise<CommitLink[]> {
  return await store.commits({ tenant: 'local', conversationId, limit: 100 })
}
