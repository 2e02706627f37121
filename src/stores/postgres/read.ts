import type { Principal, SessionRecord } from '../../domain/record.ts'
import type {
  IdsQuery,
  ListQuery,
  ReadQuery,
  SequenceRange,
  SessionKey,
  StoredEvent,
  Totals,
} from '../../ports/session-store.ts'
import type { Connections, Statement } from './connection.ts'
import { byText, mergeSorted, type Partitions } from './partitions.ts'
import { type EventRow, eventOf, MAX_INT, ownerOf, recordOf, type SessionRow } from './rows.ts'
import type { SessionLocator } from './session-locator.ts'
import { requireSession } from './sessions.ts'

const READ: Statement = {
  name: 'read',
  text: 'select * from context.read_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
}

const CHECKSUMS: Statement = {
  name: 'checksums',
  text: 'select context.read_checksums($1, $2, $3, $4, $5, $6) as checksum',
}

const LIST: Statement = {
  name: 'list',
  text: 'select * from context.list_sessions($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)',
}

const IDS: Statement = { name: 'ids', text: 'select context.session_ids($1, $2, $3, $4, $5) as id' }

const TOTALS: Statement = { name: 'totals', text: 'select sessions, events from context.count_sessions($1, $2, $3)' }

/** Reads logs and lists. */
export function readCalls({ query }: Connections, locator: SessionLocator, partitions: Partitions) {
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
      const rows = await locator.at(key, (partition) =>
        requireSession(key, query<EventRow>(READ, [partition, ...values], { retry: true })),
      )
      return rows.map(eventOf)
    },

    async checksums(key: SessionKey, { after, before }: SequenceRange): Promise<string[]> {
      const values = [key.sessionId, ...ownerOf(key), after, Math.min(before, MAX_INT)]
      const rows = await locator.at(key, (partition) =>
        requireSession(key, query<{ checksum: string }>(CHECKSUMS, [partition, ...values], { retry: true })),
      )
      return rows.map(({ checksum }) => checksum)
    },

    async list(q: ListQuery): Promise<SessionRecord[]> {
      const filters = [q.tenant, q.userId, q.state, q.chatmode, q.agent, q.conversationId, q.since, q.until]
      const values = [...filters, q.cursor?.lastActivityAt, q.cursor?.id, q.limit].map((value) => value ?? null)
      const pages = await partitions.ofUser(q, (partition) =>
        query<SessionRow>(LIST, [partition, ...values], { retry: true }),
      )
      return mergeSorted(pages, q.limit, byNewestActivity).map(recordOf)
    },

    async sessionIds({ after, limit, within }: IdsQuery): Promise<string[]> {
      const values = [...ownerOf({ within }), after || null, limit]
      const pages = await partitions.ofUser(within, async (partition) =>
        (await query<{ id: string }>(IDS, [partition, ...values], { retry: true })).map(({ id }) => id),
      )
      return mergeSorted(pages, limit, byText)
    },

    async totals(within: Principal | undefined): Promise<Totals> {
      const counts = await partitions.ofUser(within, (partition) =>
        query<{ sessions: number; events: string }>(TOTALS, [partition, ...ownerOf({ within })], { retry: true }),
      )
      const total = { sessions: 0, events: 0 }
      for (const { sessions, events } of counts.flat()) {
        total.sessions += sessions
        total.events += Number(events)
      }
      return total
    },
  }
}

function byNewestActivity(a: SessionRow, b: SessionRow): number {
  return byText(b.last_activity_at, a.last_activity_at) || byText(b.id, a.id)
}
