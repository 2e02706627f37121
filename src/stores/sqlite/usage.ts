import type { Database } from 'better-sqlite3'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { isWithin } from '../../domain/record.ts'
import {
  addIncrement,
  type DailyUsage,
  dayOf,
  type UsageChange,
  type UsageIncrement,
  type UsageSums,
} from '../../domain/usage.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { SessionKey, UsageGroup, UsageQuery, UsageRowsQuery } from '../../ports/session-store.ts'
import { sumNumbers, sumsOf, usageFrom, usageNumbers } from '../usage-numbers.ts'
import { type UsagePiece, type UsagePosition, usageScan } from '../usage-pages.ts'
import type { Head } from './head-cache.ts'
import { LIMIT } from './limit.ts'
import { type Prepared, prepared } from './statement.ts'

const SELECT_USAGE = 'select usage from sessions where id = ?'

const UPDATE_USAGE = 'update sessions set usage = ? where id = ?'

const ADD_ROW = `
  insert into session_usage
    (session_id, day, model, tenant, user_id, messages, input_tokens, output_tokens, cache_read_tokens,
    cache_write_tokens, cost_nano)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (session_id, day, model) do update
  set messages = messages + excluded.messages, input_tokens = input_tokens + excluded.input_tokens,
      output_tokens = output_tokens + excluded.output_tokens,
      cache_read_tokens = cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = cache_write_tokens + excluded.cache_write_tokens,
      cost_nano = cost_nano + excluded.cost_nano`

const SELECT_OWNER = 'select tenant, user_id as userId from sessions where id = ?'

const SELECT_ROWS = `
  select day, model, messages, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens, cost_nano
  from session_usage
  where session_id = @sessionId and (day, model) > (@day, @model)
  order by day, model
  ${LIMIT}`

/**
 * Sessions with rows that no report counts. A few, if any: looking each row up in `sessions` took 30 µs beside the
 * largest metadata, because SQLite reads whole rows to compare their ids.
 */
const INVISIBLE = 'select session_id from hidden_sessions union all select session_id from session_imports'

/** Rows of one piece of a report: 5,000 take 5 ms. */
const PIECE = 5000

/** A row as the values of its columns. */
type Row = [key: string, ...numbers: number[]]

/** Writes usage. Each call runs inside an open transaction. */
export function usageWriter(db: Database) {
  const selectUsage = prepared<[string], string | null>(db, SELECT_USAGE).pluck()
  const updateUsage = prepared(db, UPDATE_USAGE)
  const addRow = prepared(db, ADD_ROW)
  const removeRows = prepared(db, 'delete from session_usage where session_id = ?')

  function add(sessionId: string, { tenant, userId }: UserKey, day: string, sums: UsageSums & { model: string }): void {
    addRow.run(sessionId, day, sums.model, tenant, userId, ...sumNumbers(sums))
  }

  return {
    /** Adds the usage of an append. `head` is the head after it. */
    add(head: Head, increment: UsageIncrement, at: string): void {
      const stored = selectUsage.get(head.id) ?? null
      const usage = addIncrement(stored === null ? undefined : usageFrom(JSON.parse(stored), head.turns), increment)
      updateUsage.run(JSON.stringify(usageNumbers({ usage, turns: head.turns })), head.id)
      for (const sums of increment.models) add(head.id, head, dayOf(at), sums)
    },

    /** Changes the rows as an import or a repair says. */
    change(sessionId: string, owner: UserKey, change: UsageChange | undefined): void {
      if (change?.cleared === true) removeRows.run(sessionId)
      for (const row of change?.rows ?? []) add(sessionId, owner, row.day, row)
    },
  }
}

export type UsageWriter = ReturnType<typeof usageWriter>

/** Reads of usage. */
export function usageReader(db: Database, pieceRows = PIECE) {
  const selectOwner = prepared<[string], UserKey>(db, SELECT_OWNER)
  const selectRows = prepared<[object], [day: string, ...Row]>(db, SELECT_ROWS).raw()
  const statements = new Map<string, Prepared<[object], string[]>>()

  function all(sql: string, values: object): (string | number)[][] {
    const found = statements.get(sql) ?? prepared<[object], string[]>(db, sql).raw()
    statements.set(sql, found)
    return found.all(values)
  }

  return {
    rows(key: SessionKey, { after, limit }: UsageRowsQuery): DailyUsage[] {
      const { sessionId } = key
      const owner = selectOwner.get(sessionId)
      if (owner === undefined || !isWithin(owner, key.within)) throw new SessionNotFoundError(sessionId)
      const { day, model } = after ?? { day: '', model: '' }
      const rows = selectRows.all({ sessionId, day, model, limit })
      return rows.map(([day, model, ...numbers]) => ({ day, model, ...sumsOf(numbers as number[]) }))
    },

    /** Sums of the next rows of a query. */
    piece(query: UsageQuery, after: UsagePosition | undefined): UsagePiece {
      const { end: endSql, sums } = usageSql(query, after !== undefined)
      const { tenant, userId, since, until, after: key } = query
      const start = Object.fromEntries((after ?? []).map((value, i) => [`from${i}`, value]))
      const values = { tenant, userId, since, until, key, ...start }
      const [end] = all(endSql, { ...values, offset: pieceRows - 1 }) as string[][]
      const last = Object.fromEntries((end ?? []).map((value, i) => [`to${i}`, value]))
      const groups = all(sums(end !== undefined), { ...values, ...last }).map(
        ([key, ...numbers]): UsageGroup => ({ key: String(key), ...sumsOf(numbers) }),
      )
      return { groups, end }
    },
  }
}

/** The statements that find the last row of a piece, and that sum its rows. @key: keys after it. */
export function usageSql(query: Omit<UsageQuery, 'limit'>, isContinued: boolean) {
  const { tenant, userId, since, until, after } = query
  const { key, columns, isOrdered } = usageScan(query)
  const [first = 'day'] = columns
  const place = (name: string) => `(${columns.map((_, i) => `@${name}${i}`).join(', ')})`
  const order = columns.join(', ')
  // otherwise SQLite takes the other index for some conditions
  const index = first === 'user_id' || userId !== undefined ? 'session_usage_user' : 'session_usage_day'
  const scanned = [
    ...(tenant === undefined ? [] : ['tenant = @tenant']),
    ...(userId === undefined ? [] : ['user_id = @userId']),
    ...(isContinued ? [`(${order}) > ${place('from')}`] : []),
    ...(!isContinued && isOrdered && after !== undefined ? [`${first} > @key`] : []),
    ...(!isContinued && first === 'day' && since !== undefined ? ['day >= @since'] : []),
    ...(first === 'day' && until !== undefined ? ['day < @until'] : []),
  ]
  const filtered = [
    `session_id not in (${INVISIBLE})`,
    ...(since === undefined ? [] : ['day >= @since']),
    ...(until === undefined ? [] : ['day < @until']),
    ...(after === undefined ? [] : [`${key} > @key`]),
  ]
  return {
    end: `
      select ${order}
      from session_usage indexed by ${index}
      where ${[...scanned, 'true'].join(' and ')}
      order by ${order}
      limit 1 offset @offset + 0`,
    sums: (isLimited: boolean) => `
      select ${key}, sum(messages), sum(input_tokens), sum(output_tokens), sum(cache_read_tokens),
        sum(cache_write_tokens), sum(cost_nano)
      from session_usage indexed by ${index}
      where ${[...scanned, ...(isLimited ? [`(${order}) <= ${place('to')}`] : []), ...filtered].join(' and ')}
      group by ${key}`,
  }
}
