import type { Database } from 'better-sqlite3'
import { SessionNotFoundError } from '../../domain/errors.ts'
import type {
  DeriveRequest,
  DueQuery,
  EdgesQuery,
  SessionKey,
  StoredEdge,
  WorkMark,
} from '../../ports/session-store.ts'
import { fillList } from '../page.ts'
import { commitWriter } from './commits.ts'
import { LIMIT } from './limit.ts'
import { OWNED, ownerOf } from './owner-filter.ts'
import { minuteOf, visibleRow } from './rows.ts'
import { type Prepared, prepared } from './statement.ts'

/** Keeps the first of equal edges. */
const INSERT_EDGE = `
  insert into session_edges (session_id, from_node, label, to_node, sequence, evidence, tools)
  values (?, ?, ?, ?, ?, ?, ?)
  on conflict do nothing`

/** A position in the order of the edges of a session. */
export type EdgePosition = Required<EdgesQuery>['after']

/** Before every edge. */
export const FIRST_EDGE: EdgePosition = { from: '', label: '', to: '', sequence: 0 }

/** Edges copied at a time. */
const MAX_COPIED = 100

/** Longest idle first, by minute and id. */
export const SELECT_IDLE = `
  select id
  from sessions
  where ended_at is null and activity_minute <= @idleMinute and last_activity_at < @idleSince and ${OWNED}
  order by activity_minute, id
  ${LIMIT}`

/** Sessions that expired without being idle. */
export const SELECT_EXPIRED = `
  select id
  from sessions
  where ended_at is null and expires_at <= @at and last_activity_at >= @idleSince and ${OWNED}
  order by expires_at, id
  ${LIMIT}`

/** Sessions whose commit is missing. */
export const SELECT_UNCOMMITTED = `
  select id
  from sessions
  where awaits_commit = 1 and ended_at < @endedBefore and ${OWNED}
  order by ended_at, id
  ${LIMIT}`

/** No row: there is no such session. */
const SELECT_OWNER = 'select tenant, user_id, head from sessions where id = ?'

/** No row: nothing was derived. */
const SELECT_MARK = 'select sequence as at, state from session_work_marks where session_id = ? and tools = ?'

const SAVE_MARK = `
  insert into session_work_marks (session_id, tools, sequence, state)
  values (?, ?, ?, ?)
  on conflict do update
  set sequence = excluded.sequence, state = excluded.state`

export const REMOVE_MARKS = 'delete from session_work_marks where session_id = ?'

const EDGE = 'select from_node as "from", label, to_node as "to", sequence, evidence from session_edges'
// without the hint, SQLite walks all edges of the session to avoid the sort
const REVERSE = 'indexed by session_edges_reverse'
const NODES = '(select value from json_each(@nodes))'

/** The statement for a query; nodes and labels are JSON arrays. Returns an edge between two of the nodes once. */
export function edgesSql({ nodes, direction = 'both', labels, after, tools }: Partial<EdgesQuery>): string {
  const rest = [
    tools === undefined ? "tools = ''" : "tools in ('', @tools)",
    ...(labels !== undefined ? ['label in (select value from json_each(@labels))'] : []),
    ...(after !== undefined ? ['(from_node, label, to_node, sequence) > (@from, @label, @to, @sequence)'] : []),
  ]
  const having = (...conditions: string[]) =>
    `where ${['session_id = @sessionId', ...conditions, ...rest].join(' and ')}`
  const order = `order by 1, 2, 3, 4 ${LIMIT}`
  const outgoing = `${EDGE} ${having(`from_node in ${NODES}`)}`
  if (nodes === undefined) return `${EDGE} ${having()} ${order}`
  if (direction === 'out') return `${outgoing} ${order}`
  if (direction === 'in') return `${EDGE} ${REVERSE} ${having(`to_node in ${NODES}`)} ${order}`
  const incoming = `${EDGE} ${REVERSE} ${having(`to_node in ${NODES}`, `from_node not in ${NODES}`)}`
  return `${outgoing} union all ${incoming} ${order}`
}

/** Writes to edges and commits, each inside an open transaction. */
export function workWriter(db: Database) {
  const insertEdge = prepared(db, INSERT_EDGE)
  const selectEdges = prepared<[object], StoredEdge>(db, edgesSql({ after: FIRST_EDGE }))
  const deleteEdges = prepared(db, 'delete from session_edges where session_id = ?')
  const selectMark = prepared<[string, string], Omit<WorkMark, 'head'>>(db, SELECT_MARK)
  const saveMark = prepared(db, SAVE_MARK)
  const removeMarks = prepared(db, REMOVE_MARKS)
  const commits = commitWriter(db)

  function insertEdges(sessionId: string, edges: readonly StoredEdge[], tools = ''): void {
    for (const { from, label, to, sequence, evidence } of edges) {
      insertEdge.run(sessionId, from, label, to, sequence, evidence, tools)
    }
  }

  return {
    ...commits,
    insertEdges,

    replaceEdges(sessionId: string, edges: readonly StoredEdge[]): void {
      deleteEdges.run(sessionId)
      removeMarks.run(sessionId)
      insertEdges(sessionId, edges)
    },

    /** `head` is that of the session. */
    derive({ sessionId, tools, from, to, state, edges }: DeriveRequest, head: number): boolean {
      if ((selectMark.get(sessionId, tools)?.at ?? 0) !== from || to > head) return false
      insertEdges(sessionId, edges, tools)
      saveMark.run(sessionId, tools, to, state)
      return true
    },

    /** Copies the next edges of events up to a sequence. Returns the last one seen; `undefined`: there is no more. */
    copySomeEdges(to: string, source: string, sequence: number, after: EdgePosition): EdgePosition | undefined {
      const edges = selectEdges.all({ sessionId: source, ...after, limit: MAX_COPIED })
      insertEdges(
        to,
        edges.filter((edge) => edge.sequence <= sequence),
      )
      return edges.at(-1)
    },
  }
}

export type WorkWriter = ReturnType<typeof workWriter>

/** Reads of edges and of sessions due for a sweep. */
export function workReader(db: Database) {
  const selectOwner = prepared<[string], { tenant: string; user_id: string; head: number }>(db, SELECT_OWNER)
  const selectMark = prepared<[string, string], Omit<WorkMark, 'head'>>(db, SELECT_MARK)
  const selectIdle = prepared<[object], string>(db, SELECT_IDLE).pluck()
  const selectExpired = prepared<[object], string>(db, SELECT_EXPIRED).pluck()
  const selectUncommitted = prepared<[object], string>(db, SELECT_UNCOMMITTED).pluck()
  const statements = new Map<string, Prepared<[object], StoredEdge>>()

  function statement(sql: string): Prepared<[object], StoredEdge> {
    const found = statements.get(sql) ?? prepared<[object], StoredEdge>(db, sql)
    statements.set(sql, found)
    return found
  }

  function headOf(key: SessionKey): number {
    const row = visibleRow(selectOwner.get(key.sessionId), key)
    if (row === undefined) throw new SessionNotFoundError(key.sessionId)
    return row.head
  }

  return {
    edges(key: SessionKey, query: EdgesQuery): StoredEdge[] {
      const { sessionId } = key
      headOf(key)
      const { nodes, labels, after, limit, tools } = query
      const rows = statement(edgesSql(query)).iterate({
        sessionId,
        limit,
        ...after,
        ...(tools !== undefined && { tools }),
        ...(nodes !== undefined && { nodes: JSON.stringify(nodes) }),
        ...(labels !== undefined && { labels: JSON.stringify(labels) }),
      })
      return fillList(rows, (edge) => edge)
    },

    workMark(key: SessionKey, tools: string): WorkMark {
      return { head: headOf(key), at: 0, state: '', ...selectMark.get(key.sessionId, tools) }
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
