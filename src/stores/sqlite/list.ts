import type { Database } from 'better-sqlite3'
import type { Principal, SessionRecord } from '../../domain/record.ts'
import type { IdsQuery, ListQuery, Totals } from '../../ports/session-store.ts'
import { fillList } from '../page.ts'
import { LIMIT } from './limit.ts'
import { OWNED, ownerOf } from './owner-filter.ts'
import { minuteOf, recordOf, type SessionRow } from './rows.ts'
import { type Prepared, prepared } from './statement.ts'

/** One condition per filter; an index by tenant and minute serves each of them. */
const FILTERS = {
  userId: 'user_id = @userId',
  state: 'state = @state',
  chatmode: 'chatmode = @chatmode',
  agent: 'active_agent = @agent',
  conversationId: 'conversation_id = @conversationId',
  parent: 'parent_id = @parent',
  ids: 'id in (select value from json_each(@ids))',
  since: 'activity_minute >= @sinceMinute and last_activity_at >= @since',
  until: 'activity_minute <= @untilMinute and last_activity_at < @until',
  cursor: '(activity_minute, last_activity_at, id) < (@cursorMinute, @cursorActivity, @cursorId)',
} as const

const FILTER_NAMES = Object.keys(FILTERS) as (keyof typeof FILTERS)[]

const SELECT_TOTALS = `
  select count(*) as sessions, coalesce(sum(head), 0) as events
  from sessions
  where ${OWNED}`

const SELECT_IDS = `
  select id
  from sessions
  where id > @after and ${OWNED}
  order by id
  ${LIMIT}`

/**
 * The statement for the filters of the query. It sorts ids, then reads the rows as they are needed: sorting rows would
 * read every long text of the last minute.
 */
export function listSql(query: Partial<ListQuery>): string {
  // without the hint, SQLite reads all sessions of the user: every end looks for children
  const hint = query.parent === undefined ? '' : 'indexed by sessions_children'
  const conditions = FILTER_NAMES.filter((name) => query[name] !== undefined).map((name) => FILTERS[name])
  return `
    select s.*
    from (
      select id as key
      from sessions ${hint}
      where ${['tenant = @tenant', ...conditions].join(' and ')}
      order by activity_minute desc, last_activity_at desc, id desc
      ${LIMIT}
    )
    cross join sessions s on s.id = key`
}

export function sessionLister(db: Database) {
  const selectTotals = prepared<[object], Totals>(db, SELECT_TOTALS)
  const selectIds = prepared<[object], string>(db, SELECT_IDS).pluck()
  const statements = new Map<string, Prepared<[object], SessionRow>>()

  function statement(sql: string): Prepared<[object], SessionRow> {
    const found = statements.get(sql) ?? prepared<[object], SessionRow>(db, sql)
    statements.set(sql, found)
    return found
  }

  return {
    list(query: ListQuery): SessionRecord[] {
      const { since, until, cursor, ids, ...values } = query
      const rows = statement(listSql(query)).iterate({
        ...values,
        ...(ids !== undefined && { ids: JSON.stringify(ids) }),
        ...(since !== undefined && { since, sinceMinute: minuteOf(since) }),
        ...(until !== undefined && { until, untilMinute: minuteOf(until) }),
        ...(cursor !== undefined && {
          cursorMinute: minuteOf(cursor.lastActivityAt),
          cursorActivity: cursor.lastActivityAt,
          cursorId: cursor.id,
        }),
      })
      return fillList(rows, recordOf)
    },

    totals(within: Principal | undefined): Totals {
      return selectTotals.get(ownerOf(within)) as Totals
    },

    sessionIds({ after = '', limit, within }: IdsQuery): string[] {
      return selectIds.all({ after, limit, ...ownerOf(within) })
    },
  }
}
