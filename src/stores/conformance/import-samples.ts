import type { SessionEvent } from '../../domain/event.ts'
import { evolve, initialView, type SessionView } from '../../domain/fold.ts'
import { type Json, stringifyJson } from '../../domain/json.ts'
import { edgesOf } from '../../domain/work.ts'
import type { FoundImport, ImportBlock } from '../../ports/import-store.ts'
import type { CommitLink, StoredEdge, StoredEvent } from '../../ports/session-store.ts'
import type { Store } from '../../ports/store.ts'
import { loadedIn } from './envelope-samples.ts'
import { creation, logOf, NOON, someEvent } from './samples.ts'

/** A session that was written elsewhere. */
export interface Life {
  readonly sessionId: string
  readonly events: readonly StoredEvent[]
}

type Step = readonly [type: string, parts?: Json]

/** A life that begins as given and goes on with these steps, a second apart. */
export function lifeOf(given: Parameters<typeof creation>[0] = {}, steps: readonly Step[] = []): Life {
  const { event, at, view } = creation(given)
  const later = steps.map(([type, parts], i) => ({
    ...someEvent(`step ${i + 1}`, type),
    ...(parts !== undefined && { parts: stringifyJson(parts) }),
    sequence: i + 2,
    createdAt: new Date(Date.parse(at) + (i + 1) * 1000).toISOString(),
  }))
  return { sessionId: view.record.id, events: [{ ...event, sequence: 1, createdAt: at }, ...later] }
}

/** Something of every view. */
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

/** The end of a session, and its commit at this position of its conversation. */
export function end(position: number, id = `commit ${position}`): Step[] {
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

function eventsOf({ sessionId, events }: Life): SessionEvent[] {
  return events.map(({ parts, ...event }) => ({
    ...event,
    sessionId,
    ...(parts !== undefined && { parts: JSON.parse(parts) }),
  })) as unknown as SessionEvent[]
}

/** The views of a life after an event, the last one unless another is named. */
export function viewAfter(life: Life, head = life.events.length): SessionView {
  const [first, ...later] = eventsOf(life).slice(0, head)
  return later.reduce(evolve, initialView(first as SessionEvent))
}

function edgesAfter(life: Life, after: number, head: number): StoredEdge[] {
  return eventsOf(life)
    .slice(after, head)
    .flatMap((event) => edgesOf(event).map((edge) => ({ ...edge, sequence: event.sequence })))
}

/** The events of a life behind `after` and up to `head` on their way in. */
export function blockOf(
  life: Life,
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
    done,
  }
}

/** Brings a life in, so many events at a time. */
export async function bring(store: Store, life: Life, size = life.events.length): Promise<void> {
  for (let after = 0; after < life.events.length; after += size) {
    await store.imports.write(blockOf(life, after, Math.min(after + size, life.events.length)))
  }
}

/** Writes a life, or its beginning, as if it happened here. */
export async function live(store: Store, life: Life, head = life.events.length): Promise<void> {
  const { sessionId, events } = life
  let view: SessionView | undefined
  for (const [i, made] of eventsOf(life).slice(0, head).entries()) {
    const { sequence: _, createdAt: at, ...event } = events[i] as StoredEvent
    const after = view === undefined ? initialView(made) : evolve(view, made)
    if (view === undefined) await store.create({ event, at, view: after, reuse: 'none' })
    else {
      const edges = edgesOf(made).map((edge) => ({ ...edge, event: 0 }))
      await store.decide({ sessionId, at, decide: () => ({ events: [event], view: after, edges }) })
    }
    view = after
  }
}

/** All that calls give of a life, and of the store that it is in. */
export async function shownIn(store: Store, { sessionId }: Life): Promise<unknown> {
  const view = await loadedIn(store, { sessionId })
  const { tenant, userId, chatmode, conversationId } = view.record
  return {
    view,
    log: await logOf(store, sessionId),
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

/** What `find` has to give of a life that came to this event. */
export function found(life: Life, head: number, isUnfinished: boolean): FoundImport {
  return { view: viewAfter(life, head), lastEventId: life.events[head - 1]?.id ?? '', isUnfinished }
}

/** The details of a refusal. */
export async function detailsOf(refusal: Promise<Error>): Promise<unknown> {
  return ((await refusal) as Error & { details?: unknown }).details
}

/** The commits of a conversation. */
export async function chainIn(store: Store, conversationId: string): Promise<CommitLink[]> {
  return await store.commits({ tenant: 'local', conversationId, limit: 100 })
}
