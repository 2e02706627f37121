import type { Database } from 'better-sqlite3'
import { defined } from '../../domain/optional.ts'
import type { BehindQuery, IndexMark, UserKey } from '../../ports/recall-index.ts'
import { LIMIT } from './limit.ts'
import { ownerOf } from './owner-filter.ts'
import { prepared } from './statement.ts'

const MARK = `
  select s.id as sessionId, s.tenant, s.user_id as userId, s.head, coalesce(m.indexed, 0) as indexed,
    coalesce(m.turns, 0) as turns, coalesce(m.version, 0) as version, coalesce(m.extracted, 0) as extracted,
    coalesce(s.forked_from ->> 'sequence', 0) as copied`

const JOIN_MARKS = `
  from sessions s
  left join session_marks m on m.session_id = s.id`

/** No row: there is no such session. */
const SELECT_MARK = `${MARK} ${JOIN_MARKS} where s.id = ?`

/** A page of a user's sessions, behind or not, in the order of the index: newest minute first. */
export const SELECT_NEWEST = `
  ${MARK}, s.activity_minute as minute, s.last_activity_at as lastActivityAt
  ${JOIN_MARKS}
  where s.tenant = @tenant and s.user_id = @userId and (s.activity_minute, s.id) < (@minute, @sessionId)
  order by s.activity_minute desc, s.id desc
  ${LIMIT}`

const IS_BEHIND = `
  (s.head > coalesce(m.indexed, 0) or coalesce(m.version, 0) < @version
    or (s.ended_at is not null and s.head > coalesce(m.extracted, 0)))`

/** Sessions of all users, whether they are behind and of the tenant or not. */
export const SELECT_PAGE = `
  select s.id, ${IS_BEHIND} and (@tenant is null or s.tenant = @tenant) as isBehind
  ${JOIN_MARKS}
  where s.id > @after
  order by s.id
  ${LIMIT}`

/** Sessions of a user, behind or not. Sorts their ids: the index by id would walk the sessions of all users. */
const SELECT_USER_PAGE = `
  select s.id, ${IS_BEHIND} as isBehind
  from (
    select id
    from sessions indexed by sessions_user
    where tenant = @tenant and user_id = @userId and id > @after
    order by id
    ${LIMIT}
  ) page
  join sessions s on s.id = page.id
  left join session_marks m on m.session_id = s.id
  order by s.id`

/** Sessions per read. Those with the longest task and metadata take a millisecond each, most take some microseconds. */
const NEWEST_PAGE = 25
/** More of them, because each page of a user sorts the ids of all sessions. */
const PAGE_SIZE = 100

/** A mark with the place of its session. */
interface PlacedMark extends IndexMark {
  minute: number
  lastActivityAt: string
}

/** Where a page starts. */
type Place = Pick<PlacedMark, 'minute' | 'sessionId'>

/** Before the newest session. */
const START: Place = { minute: Number.MAX_SAFE_INTEGER, sessionId: '' }

/**
 * Marks of a user's sessions that are behind, or of those among the `newest`, newest activity first. Reads page by
 * page: 1,300 sessions with the longest tasks took 300 ms at once. A session that is written to meanwhile may be left
 * out.
 */
export async function readMarks(
  version: number,
  newest: number,
  readPage: (after: Place) => Promise<PlacedMark[]>,
): Promise<IndexMark[]> {
  const isBehind = (mark: IndexMark) => mark.head > mark.indexed || mark.version < version
  const found: PlacedMark[] = []
  for (let after: Place | undefined = START; after !== undefined && !isEnough(found, newest); ) {
    const page: PlacedMark[] = await readPage(after)
    // the limit counts sessions that are not behind, too
    found.push(...(newest === Number.POSITIVE_INFINITY ? page.filter(isBehind) : page))
    after = page.length === NEWEST_PAGE ? page.at(-1) : undefined
  }
  return found
    .sort(
      (a, b) =>
        b.minute - a.minute || descending(a.lastActivityAt, b.lastActivityAt) || descending(a.sessionId, b.sessionId),
    )
    .slice(0, newest)
    .filter(isBehind)
    .map(({ minute: _, lastActivityAt: __, ...mark }) => mark)
}

/** Whether all newest sessions are among them: of the last minute some may be missing. */
function isEnough(found: readonly PlacedMark[], newest: number): boolean {
  const last = found[newest - 1]
  return last !== undefined && last.minute !== found.at(-1)?.minute
}

const descending = (a: string, b: string) => (a === b ? 0 : a < b ? 1 : -1)

/** Reads of index and extraction progress. */
export function markReader(db: Database) {
  const selectMark = prepared<[string], IndexMark>(db, SELECT_MARK)
  const selectNewest = prepared<[object], PlacedMark>(db, SELECT_NEWEST)
  const selectPage = prepared<[object], { id: string; isBehind: number }>(db, SELECT_PAGE)
  const selectUserPage = prepared<[object], { id: string; isBehind: number }>(db, SELECT_USER_PAGE)

  return {
    mark: (sessionId: string): IndexMark | undefined => selectMark.get(sessionId),

    /** The next page of a user's sessions. */
    newest({ tenant, userId }: UserKey, { minute, sessionId }: Place): PlacedMark[] {
      return selectNewest.all({ tenant, userId, minute, sessionId, limit: NEWEST_PAGE })
    },

    /** Checks the next page of sessions. No `after`: it was the last page. */
    behind({ version, after = '', limit, within }: BehindQuery): { ids: string[]; after?: string } {
      const select = within?.userId === undefined ? selectPage : selectUserPage
      const page = select.all({ version, after, limit: PAGE_SIZE, ...ownerOf(within) })
      const ids = page.filter(({ isBehind }) => isBehind === 1).map(({ id }) => id)
      const last = page.length === PAGE_SIZE ? page.at(-1)?.id : undefined
      return defined({ ids: ids.slice(0, limit), after: last })
    },
  }
}
