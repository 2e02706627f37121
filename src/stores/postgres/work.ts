import type {
  CommitLink,
  CommitsQuery,
  DeriveRequest,
  DueQuery,
  EdgesQuery,
  SessionKey,
  StoredEdge,
  WorkMark,
} from '../../ports/session-store.ts'
import { fillList } from '../page.ts'
import type { Connections, Statement } from './connection.ts'
import { byText, mergeSorted, type Partitions } from './partitions.ts'
import { edgeColumns, LIST_SIZE, type LinkRow, linkOf, ownerOf } from './rows.ts'
import type { SessionLocator } from './session-locator.ts'
import { requireSession } from './sessions.ts'

const EDGES: Statement = {
  name: 'edges',
  text: `
    select from_node as "from", label, to_node as "to", sequence, evidence
    from context.read_edges($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`,
}

const WORK_MARK: Statement = {
  name: 'work-mark',
  text: 'select head, sequence as at, state from context.read_work_mark($1, $2, $3, $4, $5)',
}

const DERIVE: Statement = {
  name: 'derive-work',
  text: 'select context.derive_work($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13) as derived',
}

const COMMITS: Statement = {
  name: 'commits',
  text: `
    select commit_id, session_id, user_id, position, made_at, purged_at
    from context.read_commits($1, $2, $3, $4, $5, $6, $7)`,
}

const DUE: Statement = { name: 'due', text: 'select id, waiting from context.due_sessions($1, $2, $3, $4, $5, $6, $7)' }

/** A session for a sweep: `waiting` has its kind of work, then since when it waits. */
interface DueRow {
  id: string
  waiting: string
}

/** Reads relations, commits, and the sessions that are due for a sweep. */
export function workCalls({ query }: Connections, locator: SessionLocator, partitions: Partitions) {
  return {
    async edges(key: SessionKey, { nodes, direction, labels, after, limit, tools }: EdgesQuery): Promise<StoredEdge[]> {
      const wanted = [nodes ?? null, direction ?? 'both', labels ?? null]
      const cursor = [after?.from, after?.label, after?.to, after?.sequence].map((value) => value ?? null)
      const values = [key.sessionId, ...ownerOf(key), ...wanted, ...cursor, limit, LIST_SIZE, tools ?? null]
      const edges = await locator.at(key, (partition) =>
        requireSession(key, query<StoredEdge>(EDGES, [partition, ...values], { retry: true })),
      )
      return fillList(edges, (edge) => edge)
    },

    async workMark(key: SessionKey, tools: string): Promise<WorkMark> {
      const [mark] = await locator.at(key, (partition) => {
        const values = [partition, key.sessionId, ...ownerOf(key), tools]
        return requireSession(key, query<WorkMark>(WORK_MARK, values, { retry: true }))
      })
      return mark as WorkMark
    },

    /** Not sent again: a repeat would find its mark moved and return false. */
    async deriveWork({ tools, from, to, state, edges, ...key }: DeriveRequest): Promise<boolean> {
      const values = [key.sessionId, ...ownerOf(key), tools, from, to, state, ...edgeColumns(edges)]
      const [row] = await locator.at(key, (partition) =>
        requireSession(key, query<{ derived: boolean }>(DERIVE, [partition, ...values], { retry: false })),
      )
      return row?.derived === true
    },

    async commits({ tenant, conversationId, userId, after, limit }: CommitsQuery): Promise<CommitLink[]> {
      const place = [after?.position ?? 0, after?.id ?? '']
      const pages = await partitions.ofUser({ tenant, userId }, (partition) => {
        const values = [partition, tenant, conversationId, userId ?? null, ...place, limit]
        return query<LinkRow>(COMMITS, values, { retry: true })
      })
      return mergeSorted(pages, limit, (a, b) => a.position - b.position || byText(a.commit_id, b.commit_id)).map(
        linkOf,
      )
    },

    async due({ idleSince, at, endedBefore, limit, within }: DueQuery): Promise<string[]> {
      const values = [...ownerOf({ within }), idleSince, at, endedBefore, limit]
      const pages = await partitions.ofUser(within, (partition) =>
        query<DueRow>(DUE, [partition, ...values], { retry: true }),
      )
      return mergeSorted(pages, limit, (a, b) => byText(a.waiting, b.waiting) || byText(a.id, b.id)).map(({ id }) => id)
    },
  }
}
