import type { Database } from 'better-sqlite3'
import { sizeOf } from '../../domain/event-size.ts'
import { LIMITS } from '../../domain/limits.ts'
import type {
  EventPlace,
  FactsQuery,
  IndexedFacts,
  IndexPartition,
  Lookup,
  PlacedEvent,
  PostingBlock,
  RewoundSession,
  UserKey,
} from '../../ports/recall-index.ts'
import { type EventRow, eventOf } from './rows.ts'
import { prepared } from './statement.ts'
import { uuidBytes, uuidFromHex } from './uuid-bytes.ts'

const MAX_SPEAKERS = 500

/** No row: the partition is empty. */
const SELECT_PARTITION = `
  select id, messages, terms, long_messages as longMessages
  from recall_corpora
  where tenant = @tenant and user_id = @userId and corpus = @corpus`

export const SELECT_FREQUENCY = 'select messages from recall_terms where corpus_id = ? and term = ?'

const SELECT_SPEAKERS = `
  select speaker
  from recall_speakers
  where corpus_id = ?
  order by messages desc, speaker
  limit ${MAX_SPEAKERS}`

/**
 * The last blocks of a term, in descending order and all in one row: session ids and data as concatenated bytes,
 * block numbers and data sizes as lists. The driver takes 2 µs per blob, and a question needs 20,000 blocks.
 */
export const SELECT_POSTINGS = `
  select cast(group_concat(session_id, '') as blob), group_concat(block), group_concat(length(data)),
    cast(group_concat(data, '') as blob)
  from (
    select session_id, block, data
    from recall_postings
    where corpus_id = ? and term = ?
    order by session_id desc, block desc
    limit ? + 0
  )`

const FACTS = `
  select turn, sequence, is_commit as isCommit, speaker, time, length, asked, specifics, times, counts
  from recall_messages`

export const SELECT_PLACE = `${FACTS} where corpus_id = ? and session_id = ? and turn = ?`

export const SELECT_LAST_TURNS = `${FACTS} where corpus_id = ? and session_id = ? order by turn desc limit ? + 0`

export const SELECT_SPAN = `
  ${FACTS.replace('select', 'select lower(hex(session_id)) as digits,')}
  where corpus_id = ? and time >= ? and time < ?
  order by time desc, session_id desc, turn desc
  limit ? + 0`

const SELECT_EVENT = `
  select sequence, id, type, role, content, parts, agent_id, occurred_at, created_at
  from session_log
  where session_id = ? and sequence = ?`

const IS_OWNER = 'select 1 from sessions where id = ? and tenant = ? and user_id = ?'

const SELECT_HIDDEN = `
  select id, hidden
  from sessions
  where id in (select value from json_each(?)) and tenant = ? and user_id = ? and hidden is not null`

type Postings = [sessions: Buffer, blocks: string, sizes: string, data: Buffer]

interface FactsRow extends Omit<IndexedFacts, 'session' | 'kind' | 'counts'> {
  isCommit: number
  counts: number
}

interface PartitionRow {
  id: number
  messages: number
  terms: number
  longMessages: number
}

/** Reads of the index. Each runs in a transaction, so concurrent writes do not tear it. */
export function indexReader(db: Database) {
  const selectPartition = prepared<[object], PartitionRow>(db, SELECT_PARTITION)
  const selectFrequency = prepared<[number, string], number>(db, SELECT_FREQUENCY).pluck()
  const selectSpeakers = prepared<[number], string>(db, SELECT_SPEAKERS).pluck()
  const selectPostings = prepared<[number, string, number], Postings | [null, null, null, null]>(
    db,
    SELECT_POSTINGS,
  ).raw()
  const selectPlace = prepared<[number, Buffer, number], FactsRow>(db, SELECT_PLACE)
  const selectLastTurns = prepared<[number, Buffer, number], FactsRow>(db, SELECT_LAST_TURNS)
  const selectSpan = prepared<[number, number, number, number], FactsRow & { digits: string }>(db, SELECT_SPAN)
  const selectEvent = prepared<[string, number], EventRow>(db, SELECT_EVENT)
  const selectHidden = prepared<[string, string, string], { id: string; hidden: string }>(db, SELECT_HIDDEN)
  const isOwner = prepared<[string, string, string], 1>(db, IS_OWNER).pluck()

  function findPartition({ tenant, userId, corpus }: IndexPartition): PartitionRow | undefined {
    return selectPartition.get({ tenant, userId, corpus })
  }

  function lookup(partition: IndexPartition, terms: readonly string[]): Lookup {
    const found = findPartition(partition)
    if (found === undefined) return { messages: 0, terms: 0, longMessages: 0, speakers: [], frequencies: new Map() }
    const { id, ...counts } = found
    const frequencies = new Map<string, number>()
    for (const term of terms) {
      const messages = selectFrequency.get(id, term)
      if (messages !== undefined) frequencies.set(term, messages)
    }
    return { ...counts, speakers: selectSpeakers.all(id), frequencies }
  }

  function postings(partition: IndexPartition, terms: readonly string[], limit: number): PostingBlock[] {
    const found = findPartition(partition)
    if (found === undefined) return []
    const blocks: PostingBlock[] = []
    for (const term of new Set(terms)) {
      const row = selectPostings.get(found.id, term, limit)
      if (row !== undefined && row[0] !== null) addBlocks(blocks, term, row)
    }
    return blocks
  }

  function facts(user: UserKey, { places, sessions, perSession, span }: FactsQuery): IndexedFacts[] {
    const partition = findPartition({ ...user, corpus: 'messages' })
    if (partition === undefined) return []
    const found = new Map<string, IndexedFacts>()
    const keep = (session: string, row: FactsRow) => found.set(`${session} ${row.turn}`, factsOf(session, row))
    for (const { session, turn } of places) {
      const id = uuidBytes(session)
      const row = id && selectPlace.get(partition.id, id, turn)
      if (row) keep(session, row)
    }
    for (const session of sessions) {
      const id = uuidBytes(session)
      for (const row of id ? selectLastTurns.all(partition.id, id, perSession) : []) keep(session, row)
    }
    if (span !== undefined) {
      const rows = selectSpan.all(partition.id, span.from, span.to, span.limit)
      for (const { digits, ...row } of rows) keep(uuidFromHex(digits), row)
    }
    return [...found.values()].sort((a, b) =>
      a.session === b.session ? a.turn - b.turn : a.session < b.session ? -1 : 1,
    )
  }

  function events({ tenant, userId }: UserKey, places: readonly EventPlace[]): PlacedEvent[] {
    const own = new Map<string, boolean>()
    const found: PlacedEvent[] = []
    let size = 0
    for (const { session, sequence } of places) {
      const isOwn = own.get(session) ?? isOwner.get(session, tenant, userId) !== undefined
      own.set(session, isOwn)
      const row = isOwn ? selectEvent.get(session, sequence) : undefined
      if (row === undefined) continue
      const event = eventOf(row)
      found.push({ session, event })
      size += sizeOf(event)
      if (size >= LIMITS.pageSize) break
    }
    return found
  }

  return {
    lookup: inTransaction(lookup),
    postings: inTransaction(postings),
    facts: inTransaction(facts),
    events: inTransaction(events),
    hidden: ({ tenant, userId }: UserKey, sessions: readonly string[]): RewoundSession[] =>
      selectHidden
        .all(JSON.stringify(sessions), tenant, userId)
        .map(({ id, hidden }) => ({ session: id, hidden: JSON.parse(hidden) })),
  }

  function inTransaction<Given extends unknown[], Found>(read: (...given: Given) => Found): (...given: Given) => Found {
    return db.transaction(read)
  }
}

function addBlocks(into: PostingBlock[], term: string, [sessions, blocks, sizes, data]: Postings): void {
  const ids = sessions.toString('hex')
  const numbers = blocks.split(',')
  const lengths = sizes.split(',')
  let end = data.byteOffset + data.length
  for (let i = numbers.length - 1; i >= 0; i--) {
    const length = Number(lengths[i])
    end -= length
    into.push({
      term,
      session: uuidFromHex(ids, i),
      block: Number(numbers[i]),
      data: new Uint8Array(data.buffer, end, length),
    })
  }
}

function factsOf(session: string, { isCommit, counts, ...row }: FactsRow): IndexedFacts {
  return { session, ...row, kind: isCommit === 1 ? 'commit' : 'event', counts: counts === 1 }
}
