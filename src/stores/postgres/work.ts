import type {
  CommitLink,
  CommitsQuery,
  DueQuery,
  EdgesQuery,
  SessionKey,
  StoredEdge,
} from '../../ports/session-store.ts'
import type { Connections, Statement } from './connection.ts'
import { type LinkRow, linkOf, ownerOf } from './rows.ts'
import { requireSession } from './sessions.ts'

const EDGES: Statement = {
  name: 'edges',
  text: `
    select from_node as "from", label, to_node as "to", sequence, evidence
    from context.read_edges($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
}

const COMMITS: Statement = {
  name: 'commits',
  text: `
    select commit_id, session_id, user_id, position, made_at, purged_at
    from context.read_commits($1, $2, $3, $4, $5)`,
}

const DUE: Statement = { name: 'due', text: 'select context.due_sessions($1, $2, $3, $4, $5, $6) as id' }

/** Reads relations, commits, and the sessions that are due for a sweep. */
export function workCalls({ query }: Connections) {
  return {
    async edges(key: SessionKey, { nodes, direction, labels, after, limit }: EdgesQuery): Promise<StoredEdge[]> {
      const wanted = [nodes ?? null, direction ?? 'both', labels ?? null]
      const cursor = [after?.from, after?.label, after?.to, after?.sequence].map((value) => value ?? null)
      const values = [key.sessionId, ...ownerOf(key), ...wanted, ...cursor, limit]
      return await requireSession(key, query<StoredEdge>(EDGES, values, { retry: true }))
    },

    async commits({ tenant, conversationId, userId, after, limit }: CommitsQuery): Promise<CommitLink[]> {
      const values = [tenant, conversationId, userId ?? null, after ?? 0, limit]
      return (await query<LinkRow>(COMMITS, values, { retry: true })).map(linkOf)
    },

    async due({ idleSince, at, endedBefore, limit, within }: DueQuery): Promise<string[]> {
      const values = [...ownerOf({ within }), idleSince, at, endedBefore, limit]
      return (await query<{ id: string }>(DUE, values, { retry: true })).map(({ id }) => id)
    },
  }
}
