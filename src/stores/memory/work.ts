import { compareText } from '../../domain/compare-text.ts'
import type { SessionView } from '../../domain/fold.ts'
import { cloneJson } from '../../domain/json.ts'
import type { Scope } from '../../domain/record.ts'
import type { CommitLink, CommitsQuery, DueQuery, EdgesQuery, StoredEdge } from '../../ports/session-store.ts'
import { fillList } from '../page.ts'
import type { StoredSession } from './data.ts'

type Chains = Map<string, CommitLink[]>
type LinkPosition = Pick<CommitLink, 'position' | 'id'>
type EdgePosition = Pick<StoredEdge, 'from' | 'label' | 'to' | 'sequence'>

/** Edges by key; keeps the first of equal ones. */
export function edgeMap(edges: Iterable<StoredEdge>): Map<string, StoredEdge> {
  const map = new Map<string, StoredEdge>()
  for (const edge of edges) addEdge(map, edge)
  return map
}

export function addEdge(edges: Map<string, StoredEdge>, edge: StoredEdge): void {
  const key = JSON.stringify([edge.from, edge.label, edge.to, edge.sequence])
  if (!edges.has(key)) edges.set(key, edge)
}

/** One page of edges. */
export function selectEdges(edges: Iterable<StoredEdge>, query: EdgesQuery): StoredEdge[] {
  const { nodes, direction = 'both', labels, after, limit } = query
  const matching = Array.from(edges).filter(
    (edge) =>
      (nodes === undefined ||
        (direction !== 'in' && nodes.includes(edge.from)) ||
        (direction !== 'out' && nodes.includes(edge.to))) &&
      (labels === undefined || labels.includes(edge.label)) &&
      (after === undefined || compareEdges(edge, after) > 0),
  )
  return fillList(matching.sort(compareEdges).slice(0, limit), cloneJson)
}

/** Last commit of the session's chain. */
export function lastCommit(chains: Chains, { record }: SessionView): CommitLink | undefined {
  return chains.get(chainKey(record))?.at(-1)
}

/** Whether the session has a commit and its position in the chain is free. */
export function isPositionFree(chains: Chains, view: SessionView): boolean {
  return view.commit !== undefined && findLink(chains, view) === undefined
}

/** The link at the position of the session's commit. */
export function findLink(chains: Chains, { record, commit }: SessionView): CommitLink | undefined {
  return chains.get(chainKey(record))?.find(({ position }) => position === commit?.position)
}

/** Adds the session's commit to the chain. */
export function addLink(chains: Chains, { record, commit }: SessionView, at: string): void {
  if (commit === undefined) return
  const links = [
    ...(chains.get(chainKey(record)) ?? []),
    { ...commit, sessionId: record.id, userId: record.userId, at },
  ]
  chains.set(
    chainKey(record),
    links.sort((a, b) => a.position - b.position),
  )
}

/** Like `addLink`, for an imported session; restores the link that a purge left of the same commit. */
export function restoreLink(chains: Chains, { view, events }: Pick<StoredSession, 'view' | 'events'>): void {
  const left = findLink(chains, view)
  if (view.commit === undefined || (left !== undefined && left.purgedAt === undefined)) return
  const links = chains.get(chainKey(view.record)) ?? []
  chains.set(
    chainKey(view.record),
    links.filter((each) => each !== left),
  )
  const made = events.findLast(({ type }) => type === 'session_compacted')
  addLink(chains, view, made?.createdAt ?? view.record.lastActivityAt)
}

/** Keeps the mark of an earlier purged session with the same id. */
export function markPurged(chains: Chains, { record }: SessionView, at: string): void {
  const links = chains.get(chainKey(record))
  const marked = links?.map((each) => (each.sessionId === record.id ? { purgedAt: at, ...each, userId: '' } : each))
  if (marked !== undefined) chains.set(chainKey(record), marked)
}

export function selectLinks(chains: Chains, query: CommitsQuery): CommitLink[] {
  const { tenant, conversationId, userId, after = { position: 0, id: '' }, limit } = query
  const links =
    userId === undefined
      ? Array.from(chains).flatMap(([key, chain]) => (isOfConversation(key, tenant, conversationId) ? chain : []))
      : (chains.get(chainKey({ tenant, userId, conversationId })) ?? []).filter((each) => each.userId === userId)
  const matching = links.filter((each) => compareLinks(each, after) > 0).sort(compareLinks)
  return cloneJson(matching.slice(0, limit))
}

function compareLinks(a: LinkPosition, b: LinkPosition): number {
  return a.position - b.position || compareText(a.id, b.id)
}

/** Idle sessions by minute of last activity and id, then expired ones, then uncommitted ones. */
export function selectDue(views: readonly SessionView[], { idleSince, at, endedBefore, limit }: DueQuery): string[] {
  const live = views.map(({ record }) => record).filter(({ endedAt }) => endedAt === undefined)
  const uncommitted = views.filter(({ awaitsCommit, record }) => awaitsCommit && (record.endedAt ?? '~') < endedBefore)
  const idle = live.filter(({ lastActivityAt }) => lastActivityAt < idleSince)
  const expired = live.filter((record) => record.lastActivityAt >= idleSince && (record.expiresAt ?? '~') <= at)
  const keyed = [
    ...idle.map(({ lastActivityAt, id }) => ({ key: `0 ${lastActivityAt.slice(0, 16)} ${id}`, id })),
    ...expired.map(({ expiresAt, id }) => ({ key: `1 ${expiresAt} ${id}`, id })),
    ...uncommitted.map(({ record: { endedAt, id } }) => ({ key: `2 ${endedAt} ${id}`, id })),
  ]
  keyed.sort((a, b) => (a.key < b.key ? -1 : 1))
  return keyed.slice(0, limit).map(({ id }) => id)
}

function chainKey({ tenant, userId, conversationId }: Omit<Scope, 'chatmode'>): string {
  return JSON.stringify([tenant, conversationId, userId])
}

function isOfConversation(chain: string, tenant: string, conversationId: string): boolean {
  return chain.startsWith(`${JSON.stringify([tenant, conversationId]).slice(0, -1)},`)
}

function compareEdges(a: EdgePosition, b: EdgePosition): number {
  return (
    compareText(a.from, b.from) || compareText(a.label, b.label) || compareText(a.to, b.to) || a.sequence - b.sequence
  )
}
