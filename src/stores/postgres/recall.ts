import { sizeOf } from '../../domain/event-size.ts'
import { LIMITS } from '../../domain/limits.ts'
import { takeUntilFull } from '../../domain/list-size.ts'
import { partitionOf } from '../../domain/partition.ts'
import type {
  AddRequest,
  BehindQuery,
  EventPlace,
  FactsQuery,
  IndexedFacts,
  IndexMark,
  IndexPartition,
  Lookup,
  PlacedEvent,
  PostingBlock,
  RecallIndex,
  RewoundSession,
  UserKey,
} from '../../ports/recall-index.ts'
import type { Connections, Statement } from './connection.ts'
import { byText, mergeSorted, type Partitions } from './partitions.ts'
import { type EventRow, eventOf, hiddenRanges, MAX_INT, ownerOf } from './rows.ts'
import type { SessionLocator } from './session-locator.ts'
import { unpackPostings, wordColumns } from './word-columns.ts'

const ADD: Statement = {
  name: 'index-add',
  text: `
    select context.index_messages($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
      $21, $22, $23, $24) as added`,
}

const MARK: Statement = { name: 'index-mark', text: 'select * from context.read_mark($1, $2)' }

const MARKS: Statement = { name: 'index-marks', text: 'select * from context.read_marks($1, $2, $3, $4, $5)' }

const BEHIND: Statement = {
  name: 'index-behind',
  text: 'select context.sessions_to_index($1, $2, $3, $4, $5, $6) as id',
}

/** No row: the corpus is empty. */
const LOOKUP: Statement = {
  name: 'index-lookup',
  text: 'select messages, terms, long_messages, speakers, known, counts from context.count_terms($1, $2, $3, $4, $5)',
}

const POSTINGS: Statement = {
  name: 'index-postings',
  text: 'select term, packed from context.read_postings($1, $2, $3, $4, $5, $6)',
}

const FACTS: Statement = {
  name: 'index-facts',
  text: `
    select session_id, turn, sequence, is_commit, speaker, time, length, asked, specifics, times, counts
    from context.read_message_facts($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
}

const HIDDEN: Statement = { name: 'index-hidden', text: 'select * from context.read_hidden($1, $2, $3, $4)' }

const EVENTS: Statement = { name: 'index-events', text: 'select * from context.events_at($1, $2, $3, $4, $5, $6)' }

const DROP: Statement = { name: 'index-drop', text: 'select context.unindex_session($1, $2) as done' }

interface MarkRow {
  session_id: string
  tenant: string
  user_id: string
  head: number
  indexed: number
  turns: number
  version: number
  extracted: number
  copied: number
}

interface LookupRow {
  messages: number
  terms: string
  long_messages: number
  speakers: string[]
  known: string[]
  counts: number[]
}

interface FactsRow {
  session_id: string
  turn: number
  sequence: number
  is_commit: boolean
  speaker: string
  time: string
  length: number
  asked: number
  specifics: number
  times: number
  counts: boolean
}

/** The term index. `add` is not sent again: a repeat would find its mark moved and return false. */
export function recallCalls({ query }: Connections, locator: SessionLocator, { ofUser }: Partitions): RecallIndex {
  return {
    async add({ sessionId, from, to, version, messages }: AddRequest): Promise<boolean> {
      const values = [sessionId, from, to, version, ...factColumns(messages), ...wordColumns(messages)]
      const added = await locator.at({ sessionId }, async (partition) => {
        const [row] = await query<{ added: boolean | null }>(ADD, [partition, ...values], { retry: false })
        return row?.added ?? undefined
      })
      return added === true
    },

    async mark(sessionId: string): Promise<IndexMark | undefined> {
      return await locator.at({ sessionId }, async (partition) => {
        const [row] = await query<MarkRow>(MARK, [partition, sessionId], { retry: true })
        return row && markOf(row)
      })
    },

    async marks({ tenant, userId }: UserKey, version: number, newest?: number): Promise<IndexMark[]> {
      const values = [partitionOf(tenant, userId), tenant, userId, version, newest ?? null]
      return (await query<MarkRow>(MARKS, values, { retry: true })).map(markOf)
    },

    async behind({ version, after, limit, within }: BehindQuery): Promise<string[]> {
      const values = [...ownerOf({ within }), version, after || null, limit]
      const pages = await ofUser(within, async (partition) =>
        (await query<{ id: string }>(BEHIND, [partition, ...values], { retry: true })).map(({ id }) => id),
      )
      return mergeSorted(pages, limit, byText)
    },

    async lookup({ tenant, userId, corpus }: IndexPartition, terms: readonly string[]): Promise<Lookup> {
      const values = [partitionOf(tenant, userId), tenant, userId, corpus, [...new Set(terms)]]
      const [row] = await query<LookupRow>(LOOKUP, values, { retry: true })
      return {
        messages: row?.messages ?? 0,
        terms: Number(row?.terms ?? 0),
        longMessages: row?.long_messages ?? 0,
        speakers: row?.speakers ?? [],
        frequencies: new Map(row?.known.map((term, i) => [term, row.counts[i] ?? 0])),
      }
    },

    async postings(
      { tenant, userId, corpus }: IndexPartition,
      terms: readonly string[],
      limit: number,
    ): Promise<PostingBlock[]> {
      const wanted = [[...new Set(terms)], Math.min(limit, MAX_INT)]
      const values = [partitionOf(tenant, userId), tenant, userId, corpus, ...wanted]
      const rows = await query<{ term: string; packed: Buffer }>(POSTINGS, values, { retry: true })
      return rows.flatMap(({ term, packed }) => unpackPostings(term, packed))
    },

    async facts(
      { tenant, userId }: UserKey,
      { places, sessions, perSession, span }: FactsQuery,
    ): Promise<IndexedFacts[]> {
      const values = [
        partitionOf(tenant, userId),
        tenant,
        userId,
        places.map(({ session }) => session),
        places.map(({ turn }) => turn),
        [...new Set(sessions)],
        perSession,
        span?.from ?? null,
        span?.to ?? null,
        span?.limit ?? 0,
      ]
      return (await query<FactsRow>(FACTS, values, { retry: true })).map(factsOf)
    },

    async events({ tenant, userId }: UserKey, places: readonly EventPlace[]): Promise<PlacedEvent[]> {
      const columns = [places.map(({ session }) => session), places.map(({ sequence }) => sequence)]
      const values = [partitionOf(tenant, userId), tenant, userId, ...columns, LIMITS.pageSize]
      const rows = await query<EventRow & { session_id: string }>(EVENTS, values, { retry: true })
      return takeUntilFull(
        rows,
        (row) => ({ session: row.session_id, event: eventOf(row) }),
        ({ event }) => sizeOf(event),
      )
    },

    async hidden({ tenant, userId }: UserKey, sessions: readonly string[]): Promise<RewoundSession[]> {
      const values = [partitionOf(tenant, userId), tenant, userId, sessions]
      const rows = await query<{ session_id: string; hidden: number[] }>(HIDDEN, values, { retry: true })
      return rows.map(({ session_id, hidden }) => ({ session: session_id, hidden: hiddenRanges(hidden) }))
    },

    async drop(sessionId: string): Promise<void> {
      await locator.at({ sessionId }, async (partition) => {
        const [row] = await query<{ done: boolean | null }>(DROP, [partition, sessionId], { retry: true })
        return row?.done ?? undefined
      })
    },
  }
}

/** The facts of messages as one array per column. */
function factColumns(messages: AddRequest['messages']): unknown[] {
  return [
    messages.map(({ turn }) => turn),
    messages.map(({ sequence }) => sequence),
    messages.map(({ kind }) => kind === 'commit'),
    messages.map(({ speaker }) => speaker),
    messages.map(({ time }) => time),
    messages.map(({ words }) => words.length),
    messages.map(({ words }) => words.asked),
    messages.map(({ words }) => words.specifics),
    messages.map(({ words }) => words.times),
    messages.map(({ words }) => words.counts),
  ]
}

function markOf({ session_id, tenant, user_id, ...rest }: MarkRow): IndexMark {
  return { sessionId: session_id, tenant, userId: user_id, ...rest }
}

function factsOf({ session_id, is_commit, time, ...rest }: FactsRow): IndexedFacts {
  return { session: session_id, kind: is_commit ? 'commit' : 'event', time: Number(time), ...rest }
}
