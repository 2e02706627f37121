import type { Database } from 'better-sqlite3'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { countTurns, startsTurn } from '../../domain/event.ts'
import type { SessionScratchpad, SessionView } from '../../domain/fold.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { type HiddenRanges, visibleSpans } from '../../domain/rewind.ts'
import type { ReadQuery, SequenceRange, SessionKey, StoredEvent } from '../../ports/session-store.ts'
import { leftOut } from '../line.ts'
import { fillPage } from '../page.ts'
import { LIMIT } from './limit.ts'
import {
  BLOCK,
  blockOf,
  type EnvelopeColumns,
  type EventRow,
  eventOf,
  type RecordRow,
  recordOf,
  type StateRow,
  stateOf,
  type ViewRow,
  viewOf,
  visibleRow,
} from './rows.ts'
import { prepared } from './statement.ts'
import { SELECT_RECORD, SELECT_STATE, SELECT_VIEW } from './view-sql.ts'

/** Rows without the texts of long events, which are read one by one up to the end of the page. */
export const SELECT_EVENTS = `
  select sequence, id, type, role, content, parts, agent_id, occurred_at, created_at
  from session_events
  where session_id = @sessionId and sequence > @after and sequence < @before
  order by sequence`

/** The same for events of @types (a JSON array). */
const SELECT_TYPED_EVENTS = `
  select sequence, id, type, role, content, parts, agent_id, occurred_at, created_at
  from session_events
  where session_id = @sessionId and sequence > @after and sequence < @before
    and type in (select value from json_each(@types))
  order by sequence`

const SELECT_CHECKSUMS = `
  select lower(hex(checksum))
  from session_events
  where session_id = @sessionId and sequence > @after and sequence < @before
  order by sequence`

const SELECT_TEXTS = 'select content, parts from session_texts where session_id = ? and sequence = ?'

/** Blocks of the range in which one of @types (a JSON array) occurs. */
export const SELECT_BLOCKS = `
  select distinct block
  from session_types
  where session_id = @sessionId and type in (select value from json_each(@types))
    and block between @first and @last
  order by block`

/** No row: there is no such session. */
const SELECT_SESSION = 'select tenant, user_id, cleared_at, hidden from sessions where id = ?'

/** Fewest rows to read at a time. */
const MIN_ROWS = 10

interface Range {
  sessionId: string
  after: number
  before: number
}

/** An event without content and parts if they are long. */
type ShortRow = Omit<EventRow, 'content'> & { content: string | null }

/** Reads of one session's log and views. */
export function logReader(db: Database) {
  const ordered = <Result>(sql: string, limit = '') => ({
    asc: prepared<[object], Result>(db, `${sql} asc ${limit}`),
    desc: prepared<[object], Result>(db, `${sql} desc ${limit}`),
  })
  const selectTyped = ordered<ShortRow>(SELECT_TYPED_EVENTS, LIMIT)
  const selectBlocks = ordered<number>(SELECT_BLOCKS)
  const selectLast = prepared<[object], ShortRow>(db, `${SELECT_EVENTS} desc ${LIMIT}`)
  const selectPage = prepared<[object], ShortRow>(db, `${SELECT_EVENTS} asc ${LIMIT}`)
  const selectTexts = prepared<[string, number], Pick<EventRow, 'content' | 'parts'>>(db, SELECT_TEXTS)
  const selectChecksums = prepared<[Range], string>(db, SELECT_CHECKSUMS).pluck()
  const selectSession = prepared<[string], Pick<ViewRow, 'tenant' | 'user_id' | 'cleared_at' | 'hidden'>>(
    db,
    SELECT_SESSION,
  )
  const selectView = prepared<[string], ViewRow & EnvelopeColumns>(db, SELECT_VIEW)
  const selectRecord = prepared<[string], RecordRow>(db, SELECT_RECORD)
  const selectState = prepared<[string], StateRow & Pick<ViewRow, 'tenant' | 'user_id'>>(db, SELECT_STATE)
  selectBlocks.asc.pluck()
  selectBlocks.desc.pluck()

  function readTypes(range: Range, list: readonly string[], { order, limit }: ReadQuery): ShortRow[] {
    const [first, last] = [blockOf(range.after + 1), blockOf(range.before - 1)]
    const types = JSON.stringify(list)
    const blocks = selectBlocks[order].all({ sessionId: range.sessionId, types, first, last })
    const found: ShortRow[] = []
    for (const block of blocks) {
      const after = Math.max(range.after, block * BLOCK - 1)
      const before = Math.min(range.before, (block + 1) * BLOCK)
      for (const row of selectTyped[order].all({ ...range, after, before, types, limit: limit - found.length })) {
        found.push(row)
      }
      if (found.length === limit) return found
    }
    return found
  }

  /** Reads until the window is full. Batches cost less than single rows, so it may read a few rows too many. */
  function readLastTurns(range: Range, turns: number, limit: number): ShortRow[] {
    const found: ShortRow[] = []
    let left = turns
    for (;;) {
      // most turns have two messages
      const size = Math.min(Math.max(2 * left, MIN_ROWS), limit - found.length)
      const rows = selectLast.all({ ...range, before: found.at(-1)?.sequence ?? range.before, limit: size })
      for (const row of rows) {
        found.push(row)
        if (startsTurn(row) && --left === 0) return found
      }
      if (rows.length < size || found.length === limit) return found
    }
  }

  function readRows(range: Range, query: ReadQuery): ShortRow[] {
    const { types, turns, order, limit } = query
    if (types !== undefined) return readTypes(range, types, query)
    if (turns !== undefined) return readLastTurns(range, turns, limit)
    if (order === 'asc') return selectPage.all({ ...range, limit })
    return readLastTurns(range, Number.POSITIVE_INFINITY, limit)
  }

  /** Reads from one visible span to the next. */
  function readSpans(range: Range, query: ReadQuery, hidden: HiddenRanges): ShortRow[] {
    const found: ShortRow[] = []
    let { turns } = query
    for (const span of visibleSpans(hidden, range, query.order)) {
      const limit = query.limit - found.length
      const rows = readRows({ ...range, ...span }, { ...query, limit, ...(turns !== undefined && { turns }) })
      for (const row of rows) found.push(row)
      if (turns !== undefined) turns -= countTurns(rows)
      if (found.length === query.limit || turns === 0) break
    }
    return found
  }

  return {
    load(key: SessionKey): SessionView | undefined {
      const row = visibleRow(selectView.get(key.sessionId), key)
      return row && viewOf(row)
    },

    record(key: SessionKey): SessionRecord | undefined {
      const row = visibleRow(selectRecord.get(key.sessionId), key)
      return row && recordOf(row)
    },

    state(key: SessionKey): SessionScratchpad | undefined {
      const row = visibleRow(selectState.get(key.sessionId), key)
      return row && stateOf(row)
    },

    read(key: SessionKey, query: ReadQuery): StoredEvent[] {
      const { sessionId } = key
      const { after = 0, before = Number.MAX_SAFE_INTEGER, turns } = query
      const session = visibleRow(selectSession.get(sessionId), key)
      if (session === undefined) throw new SessionNotFoundError(sessionId)
      const first = turns === undefined ? after : Math.max(after, session.cleared_at)
      const range = { sessionId, after: first, before }
      const hidden = leftOut(query, session.hidden === null ? undefined : JSON.parse(session.hidden))
      const rows = hidden.length === 0 ? readRows(range, query) : readSpans(range, query, hidden)
      return fillPage(rows, (row) => {
        if (row.content !== null) return eventOf(row as EventRow)
        // without its texts the row was altered: its checksum says so
        return eventOf({ ...row, content: '', ...selectTexts.get(sessionId, row.sequence) })
      })
    },

    checksums(key: SessionKey, { after, before }: SequenceRange): string[] {
      const { sessionId } = key
      if (visibleRow(selectSession.get(sessionId), key) === undefined) throw new SessionNotFoundError(sessionId)
      return selectChecksums.all({ sessionId, after, before })
    },
  }
}
