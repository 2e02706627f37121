import type { Database } from 'better-sqlite3'
import { SessionNotFoundError } from '../../domain/errors.ts'
import type { Principal } from '../../domain/record.ts'
import type { DueQuery, EdgesQuery, SessionKey, StoredEdge } from '../../ports/session-store.ts'
import { commitWriter } from './commits.ts'
import { LIMIT } from './limit.ts'
import { minuteOf, visibleRow } from './rows.ts'
import { type Prepared, prepared } from './statement.ts'

/** Of equal edges the first is kept. */
const INSERT_EDGE = `
  insert into session_edges (session_id, from_node, label, to_node, sequence, evidence)
  values (?, ?, ?, ?, ?, ?)
  on conflict do nothing`

const COPY_EDGES = `
  insert into session_edges (session_id, from_node, label, to_node, sequence, evidence)
  select ?, from_node, label, to_node, sequence, evidence
  from session_edges
  where session_id = ? and sequence <= ?`

const OWNED = '(@tenant is null or tenant = @tenant) and (@userId is null or user_id = @userId)'

/** The longest idle first, by the minute and then by id. */
export const SELECT_IDLE = `
  select id
  from sessions
  where ended_at is null and activity_minute <= @idleMinute and last_activity_at < @idleSince and ${OWNED}
  order by activity_minute, id
  ${LIMIT}`

/** Those that expired without being idle. */
export const SELECT_EXPIRED = `
  select id
  from sessions
  where ended_at is null and expires_at <= @at and last_activity_at >= @idleSince and ${OWNED}
  order by expires_at, id
  ${LIMIT}`

/** Those whose commit was never made. */
export const SELECT_UNCOMMITTED = `
  select id
  from sessions
  where awaits_commit = 1 and ended_at < @endedBefore and ${OWNED}
  order by ended_at, id
  ${LIMIT}`

/** No row: there is no such session. */
const SELECT_OWNER = 'select tenant, user_id from sessions where id = ?'

const EDGE = 'select from_node as "from", label, to_node as "to", sequence, evidence from session_edges'
// left to itself, SQLite walks all edges of the session to save the sort
const REVERSE = 'indexed by session_edges_reverse'
const NODES = '(select value from json_each(@nodes))'

/** The statement for what the query has; the nodes and labels are JSON arrays. An edge at two of the nodes comes once. */
export function edgesSql({ nodes, direction = 'both', labels, after }: Partial<EdgesQuery>): string {
  const rest = [
    ...(labels !== undefined ? ['label in (select value from json_each(@labels))'] : []),
    ...(after !== undefined ? ['(from_node, label, to_node, sequence) > (@from, @label, @to, @sequence)'] : []),
  ]
  const having = (...conditions: string[]) =>
    `where ${['session_id = @sessionId', ...conditions, ...rest].join(' and ')}`
  const order = `order by 1, 2, 3, 4 ${LIMIT}`
  const leaving = `${EDGE} ${having(`from_node in ${NODES}`)}`
  if (nodes === undefined) return `${EDGE} ${having()} ${order}`
  if (direction === 'out') return `${leaving} ${order}`
  if (direction === 'in') return `${EDGE} ${REVERSE} ${having(`to_node in ${NODES}`)} ${order}`
  const reaching = `${EDGE} ${REVERSE} ${having(`to_node in ${NODES}`, `from_node not in ${NODES}`)}`
  return `${leaving} union all ${reaching} ${order}`
}

/** The writes to what the work of sessions leads to, each inside an open transaction. */
export function workWriter(db: Database) {
  const insertEdge = prepared(db, INSERT_EDGE)
  const copyEdges = prepared(db, COPY_EDGES)
  const deleteEdges = prepared(db, 'delete from session_edges where session_id = ?')
  const commits = commitWriter(db)

  function insertEdges(sessionId: string, edges: readonly StoredEdge[]): void {
    for (const { from, label, to, sequence, evidence } of edges) {
      insertEdge.run(sessionId, from, label, to, sequence, evidence)
    }
  }

  return {
    ...commits,
    insertEdges,

    replaceEdges(sessionId: string, edges: readonly StoredEdge[]): void {
      deleteEdges.run(sessionId)
      insertEdges(sessionId, edges)
    },

    /** Copies those of the events up to a sequence. */
    copyEdges(to: string, from: string, sequence: number): void {
      copyEdges.run(to, from, sequence)
    },

    forgetEdges(sessionId: string): void {
      deleteEdges.run(sessionId)
    },

    /** Removes what belongs to the session alone, and marks its links. */
    purge(sessionId: string, at: string): void {
      deleteEdges.run(sessionId)
      commits.markPurged(sessionId, at)
    },
  }
}

export type WorkWriter = ReturnType<typeof workWriter>

/** Reads of relations, and of what a sweep has to look at. */
export function workReader(db: Database) {
  const selectOwner = prepared<[string], { tenant: string; user_id: string }>(db, SELECT_OWNER)
  const selectIdle = prepared<[object], string>(db, SELECT_IDLE).pluck()
  const selectExpired = prepared<[object], string>(db, SELECT_EXPIRED).pluck()
  const selectUncommitted = prepared<[object], string>(db, SELECT_UNCOMMITTED).pluck()
  const known = new Map<string, Prepared<[object], StoredEdge>>()

  function statement(sql: string): Prepared<[object], StoredEdge> {
    const found = known.get(sql) ?? prepared<[object], StoredEdge>(db, sql)
    known.set(sql, found)
    return found
  }

  return {
    edges(key: SessionKey, query: EdgesQuery): StoredEdge[] {
      const { sessionId } = key
      if (visibleRow(selectOwner.get(sessionId), key) === undefined) throw new SessionNotFoundError(sessionId)
      const { nodes, labels, after, limit } = query
      return statement(edgesSql(query)).all({
        sessionId,
        limit,
        ...after,
        ...(nodes !== undefined && { nodes: JSON.stringify(nodes) }),
        ...(labels !== undefined && { labels: JSON.stringify(labels) }),
      })
    },

    due({ idleSince, at, endedBefore, limit, within }: DueQuery): string[] {
      const values = { idleSince, idleMinute: minuteOf(idleSince), at, endedBefore, ...ownerOf(within) }
      const found: string[] = []
      for (const select of [selectIdle, selectExpired, selectUncommitted]) {
        found.push(...select.all({ ...values, limit: limit - found.length }))
      }
      return found
    },
  }
}

/** Both null: of everyone. */
function ownerOf(within: Principal | undefined): { tenant: string | null; userId: string | null } {
  return { tenant: within?.tenant ?? null, userId: within?.userId ?? null }
}
