import { LIMITS } from '../../domain/limits.ts'
import type { Principal, SessionRecord } from '../../domain/record.ts'
import type {
  IdsQuery,
  LabelQuery,
  ListQuery,
  ReadQuery,
  SequenceRange,
  SessionKey,
  StoredEvent,
  Totals,
} from '../../ports/session-store.ts'
import { fillList, fillPage, longestInline } from '../page.ts'
import type { Connections, Statement } from './connection.ts'
import { byText, mergeSorted, type Partitions } from './partitions.ts'
import { type EventRow, eventOf, LIST_SIZE, MAX_INT, ownerOf, recordOf, type SessionRow } from './rows.ts'
import type { SessionLocator } from './session-locator.ts'
import { requireSession } from './sessions.ts'

const READ: Statement = {
  name: 'read',
  text: 'select * from context.read_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)',
}

const CHECKSUMS: Statement = {
  name: 'checksums',
  text: 'select context.read_checksums($1, $2, $3, $4, $5, $6) as checksum',
}

const TEXTS: Statement = { name: 'texts', text: 'select * from context.read_texts($1, $2, $3, $4, $5, $6)' }

const LIST: Statement = {
  name: 'list',
  text: 'select * from context.list_sessions($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)',
}

const DESCENDANTS: Statement = {
  name: 'descendants',
  text: 'select context.list_descendants($1, $2, $3, $4) as id',
}

const LABELLED: Statement = { name: 'labelled', text: 'select context.find_labelled($1, $2, $3, $4, $5) as id' }

const IDS: Statement = { name: 'ids', text: 'select context.session_ids($1, $2, $3, $4, $5) as id' }

const TOTALS: Statement = { name: 'totals', text: 'select sessions, events from context.count_sessions($1, $2, $3)' }

/** An event whose content is null or whose parts are empty if they are long. */
type ShortRow = Omit<EventRow, 'content'> & { content: string | null }

type TextRow = Pick<EventRow, 'sequence' | 'content' | 'parts'>

const isLong = ({ content, parts }: ShortRow) => content === null || parts === ''

/** Reads logs and lists. */
export function readCalls({ query }: Connections, locator: SessionLocator, partitions: Partitions) {
  async function textsOf(key: SessionKey, partition: number, sequences: number[]): Promise<Map<number, TextRow>> {
    const values = [partition, key.sessionId, ...ownerOf(key), sequences, LIMITS.pageSize]
    const rows = await requireSession(key, query<TextRow>(TEXTS, values, { retry: true }))
    return new Map(rows.map((row) => [row.sequence, row]))
  }

  return {
    async read(
      key: SessionKey,
      { after, before, types, turns, line, order, limit }: ReadQuery,
    ): Promise<StoredEvent[]> {
      const inline = longestInline(limit)
      const range = [Math.min(after ?? 0, MAX_INT), Math.min(before ?? MAX_INT, MAX_INT), order === 'desc', limit]
      const values = [
        key.sessionId,
        ...ownerOf(key),
        ...range,
        types ?? null,
        turns === undefined ? null : Math.min(turns, MAX_INT),
        inline,
        line === true,
        line === true || line === undefined ? null : line.flat(),
      ]
      return await locator.at(key, async (partition) => {
        const rows = await requireSession(key, query<ShortRow>(READ, [partition, ...values], { retry: true }))
        const long = rows.filter(isLong).map(({ sequence }) => sequence)
        const texts = long.length === 0 ? new Map<number, TextRow>() : await textsOf(key, partition, long)
        // a text that was not read is behind the end of the page
        return fillPage(rows, (row) => {
          const text = isLong(row) ? texts.get(row.sequence) : row
          return text && eventOf((text === row ? row : { ...row, ...text }) as EventRow)
        })
      })
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
      const values = [...filters, q.cursor?.lastActivityAt, q.cursor?.id, q.limit, LIST_SIZE, q.parent, q.ids].map(
        (value) => value ?? null,
      )
      const pages = await partitions.ofUser(q, (partition) =>
        query<SessionRow>(LIST, [partition, ...values], { retry: true }),
      )
      return fillList(mergeSorted(pages, q.limit, byNewestActivity), recordOf)
    },

    async descendants(key: SessionKey): Promise<string[]> {
      const rows = await locator.at(key, (partition) => {
        const values = [partition, key.sessionId, ...ownerOf(key)]
        return requireSession(key, query<{ id: string }>(DESCENDANTS, values, { retry: true }))
      })
      return rows.map(({ id }) => id)
    },

    async labelled({ tenant, userId, label, limit }: LabelQuery): Promise<string[]> {
      const pages = await partitions.ofUser({ tenant, userId }, (partition) =>
        query<{ id: string }>(LABELLED, [partition, tenant, userId ?? null, label, limit], { retry: true }),
      )
      return pages.flat().map(({ id }) => id)
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
