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
  UserKey,
} from '../../ports/recall-index.ts'
import type { Connections, Statement } from './connection.ts'
import { type EventRow, eventOf, MAX_INT } from './rows.ts'
import { unpackPostings, wordColumns } from './word-columns.ts'

const ADD: Statement = {
  name: 'index-add',
  text: `
    select context.index_messages($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20,
      $21, $22, $23) as added`,
}

const MARK: Statement = { name: 'index-mark', text: 'select * from context.read_mark($1)' }

const MARKS: Statement = { name: 'index-marks', text: 'select * from context.read_marks($1, $2, $3, $4)' }

const BEHIND: Statement = { name: 'index-behind', text: 'select context.sessions_to_index($1, $2, $3) as id' }

/** No row: the corpus is empty. */
const LOOKUP: Statement = {
  name: 'index-lookup',
  text: 'select messages, terms, long_messages, speakers, known, counts from context.count_terms($1, $2, $3, $4)',
}

const POSTINGS: Statement = {
  name: 'index-postings',
  text: 'select term, packed from context.read_postings($1, $2, $3, $4, $5)',
}

const FACTS: Statement = {
  name: 'index-facts',
  text: `
    select session_id, turn, sequence, is_commit, speaker, time, length, asked, specifics, times, counts
    from context.read_message_facts($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
}

const EVENTS: Statement = { name: 'index-events', text: 'select * from context.events_at($1, $2, $3, $4)' }

const DROP: Statement = { name: 'index-drop', text: 'select context.unindex_session($1)' }

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
export function recallCalls({ query }: Connections): RecallIndex {
  return {
    async add({ sessionId, from, to, version, messages }: AddRequest): Promise<boolean> {
      const values = [sessionId, from, to, version, ...factColumns(messages), ...wordColumns(messages)]
      const [row] = await query<{ added: boolean }>(ADD, values, { retry: false })
      return row?.added === true
    },

    async mark(sessionId: string): Promise<IndexMark | undefined> {
      const [row] = await query<MarkRow>(MARK, [sessionId], { retry: true })
      return row && markOf(row)
    },

    async marks({ tenant, userId }: UserKey, version: number, newest?: number): Promise<IndexMark[]> {
      const values = [tenant, userId, version, newest ?? null]
      return (await query<MarkRow>(MARKS, values, { retry: true })).map(markOf)
    },

    async behind({ version, after, limit }: BehindQuery): Promise<string[]> {
      const rows = await query<{ id: string }>(BEHIND, [version, after || null, limit], { retry: true })
      return rows.map(({ id }) => id)
    },

    async lookup({ tenant, userId, corpus }: IndexPartition, terms: readonly string[]): Promise<Lookup> {
      const [row] = await query<LookupRow>(LOOKUP, [tenant, userId, corpus, [...new Set(terms)]], { retry: true })
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
      const values = [tenant, userId, corpus, [...new Set(terms)], Math.min(limit, MAX_INT)]
      const rows = await query<{ term: string; packed: Buffer }>(POSTINGS, values, { retry: true })
      return rows.flatMap(({ term, packed }) => unpackPostings(term, packed))
    },

    async facts(
      { tenant, userId }: UserKey,
      { places, sessions, perSession, span }: FactsQuery,
    ): Promise<IndexedFacts[]> {
      const values = [
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
      const rows = await query<EventRow & { session_id: string }>(EVENTS, [tenant, userId, ...columns], { retry: true })
      return rows.map((row) => ({ session: row.session_id, event: eventOf(row) }))
    },

    async drop(sessionId: string): Promise<void> {
      await query(DROP, [sessionId], { retry: true })
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
