import type { Database } from 'better-sqlite3'
import { defined } from '../../domain/optional.ts'
import type { BehindQuery, IndexMark, UserKey } from '../../ports/recall-index.ts'
import { LIMIT } from './limit.ts'
import { ownerOf } from './owner-filter.ts'
import { prepared } from './statement.ts'

const MARK = `
  select s.id as sessionId, s.tenant, s.user_id as userId, s.head, coalesce(m.indexed, 0) as indexed,
    coalesce(m.turns, 0) as turns, coalesce(m.version, 0) as version, coalesce(m.extracted, 0) as extracted,
    coalesce(s.forked_from ->> 'sequence', 0) as copied
  from sessions s
  left join session_marks m on m.session_id = s.id`

/** No row: there is no such session. */
const SELECT_MARK = `${MARK} where s.id = ?`

/** @limit -1: all. Includes current sessions, since the limit counts the newest sessions, behind or not. */
export const SELECT_NEWEST = `
  ${MARK}
  where s.tenant = @tenant and s.user_id = @userId
  order by s.activity_minute desc, s.last_activity_at desc, s.id desc
  ${LIMIT}`

const IS_BEHIND = `
  (s.head > coalesce(m.indexed, 0) or coalesce(m.version, 0) < @version
    or (s.ended_at is not null and s.head > coalesce(m.extracted, 0)))`

/** Sessions of all users, whether they are behind and of the tenant or not. */
export const SELECT_PAGE = `
  select s.id, ${IS_BEHIND} and (@tenant is null or s.tenant = @tenant) as isBehind
  from sessions s
  left join session_marks m on m.session_id = s.id
  where s.id > @after
  order by s.id
  ${LIMIT}`

/** Sessions of a user, behind or not. Few enough to sort: the index by id would walk the sessions of all users. */
const SELECT_USER_PAGE = `
  select s.id, ${IS_BEHIND} as isBehind
  from sessions s indexed by sessions_user
  left join session_marks m on m.session_id = s.id
  where s.tenant = @tenant and s.user_id = @userId and s.id > @after
  order by s.id
  ${LIMIT}`

/** Sessions per step of `behind`, which takes about a millisecond. */
const PAGE_SIZE = 1000

/** Reads of index and extraction progress. */
export function markReader(db: Database) {
  const selectMark = prepared<[string], IndexMark>(db, SELECT_MARK)
  const selectNewest = prepared<[object], IndexMark>(db, SELECT_NEWEST)
  const selectPage = prepared<[object], { id: string; isBehind: number }>(db, SELECT_PAGE)
  const selectUserPage = prepared<[object], { id: string; isBehind: number }>(db, SELECT_USER_PAGE)

  return {
    mark: (sessionId: string): IndexMark | undefined => selectMark.get(sessionId),

    marks({ tenant, userId }: UserKey, version: number, newest = -1): IndexMark[] {
      const marks = selectNewest.all({ tenant, userId, limit: newest })
      return marks.filter((mark) => mark.head > mark.indexed || mark.version < version)
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
