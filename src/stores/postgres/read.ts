import type { Principal, SessionRecord } from '../../domain/record.ts'
import type { IdsQuery, ListQuery, ReadQuery, SessionKey, StoredEvent, Totals } from '../../ports/session-store.ts'
import type { Connections, Statement } from './connection.ts'
import { type EventRow, eventOf, MAX_INT, ownerOf, recordOf, type SessionRow } from './rows.ts'
import { requireSession } from './sessions.ts'

const READ: Statement = { name: 'read', text: 'select * from context.read_events($1, $2, $3, $4, $5, $6, $7, $8, $9)' }

const LIST: Statement = {
  name: 'list',
  text: 'select * from context.list_sessions($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)',
}

const IDS: Statement = { name: 'ids', text: 'select context.session_ids($1, $2, $3, $4) as id' }

const TOTALS: Statement = { name: 'totals', text: 'select sessions, events from context.count_sessions($1, $2)' }

/** Reads logs and lists. */
export function readCalls({ query }: Connections) {
  return {
    async read(key: SessionKey, { after, before, types, turns, order, limit }: ReadQuery): Promise<StoredEvent[]> {
      const range = [Math.min(after ?? 0, MAX_INT), Math.min(before ?? MAX_INT, MAX_INT), order === 'desc', limit]
      const values = [
        key.sessionId,
        ...ownerOf(key),
        ...range,
        types ?? null,
        turns === undefined ? null : Math.min(turns, MAX_INT),
      ]
      return (await requireSession(key, query<EventRow>(READ, values, { retry: true }))).map(eventOf)
    },

    async list(q: ListQuery): Promise<SessionRecord[]> {
      const filters = [q.tenant, q.userId, q.state, q.chatmode, q.agent, q.conversationId, q.since, q.until]
      const values = [...filters, q.cursor?.lastActivityAt, q.cursor?.id, q.limit].map((value) => value ?? null)
      return (await query<SessionRow>(LIST, values, { retry: true })).map(recordOf)
    },

    async sessionIds({ after, limit, within }: IdsQuery): Promise<string[]> {
      const values = [...ownerOf({ within }), after || null, limit]
      return (await query<{ id: string }>(IDS, values, { retry: true })).map(({ id }) => id)
    },

    async totals(within: Principal | undefined): Promise<Totals> {
      const [row] = await query<{ sessions: number; events: string }>(TOTALS, ownerOf({ within }), { retry: true })
      return { sessions: row?.sessions ?? 0, events: Number(row?.events ?? 0) }
    },
  }
}
