import type { Database } from 'better-sqlite3'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { isWithin } from '../../domain/record.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { LogSize, SessionKey, StorageQuery } from '../../ports/session-store.ts'
import { type StorageKind, type StoragePiece, type StoragePosition, storageGroup } from '../storage-pages.ts'
import { type Prepared, prepared } from './statement.ts'

const SELECT_SIZE = 'select tenant, user_id as userId, head, bytes from sessions where id = ?'

/** The tables of a report, each with the columns of an index that has their order, and its sums. */
const TABLES = {
  sessions: {
    from: 'sessions indexed by sessions_user',
    columns: ['tenant', 'user_id', 'activity_minute', 'id'],
    sums: 'count(*), sum(head), sum(bytes)',
  },
  memories: {
    from: 'memories',
    columns: ['tenant', 'user_id', 'id'],
    sums: "count(*), 0, sum(octet_length(content) + octet_length(coalesce(metadata, '')))",
  },
} as const

/** Rows of one piece of a report: 1,000 take 4 ms. Few, since they may be anywhere in the file. */
const PIECE = 1000

/** Reads of what is stored. */
export function storageReader(db: Database, pieceRows = PIECE) {
  const selectSize = prepared<[string], LogSize & UserKey>(db, SELECT_SIZE)
  const statements = new Map<string, Prepared<[object], StoragePosition>>()

  function all(sql: string, values: object): StoragePosition[] {
    const found = statements.get(sql) ?? prepared<[object], StoragePosition>(db, sql).raw()
    statements.set(sql, found)
    return found.all(values)
  }

  return {
    size({ sessionId, within }: SessionKey): LogSize {
      const found = selectSize.get(sessionId)
      if (found === undefined || !isWithin(found, within)) throw new SessionNotFoundError(sessionId)
      return { head: found.head, bytes: found.bytes }
    },

    /** Sums of the next rows of a query. */
    piece(query: StorageQuery, kind: StorageKind, after: StoragePosition | undefined): StoragePiece {
      const { end: endSql, sums } = storageSql(query, kind, after !== undefined)
      const { tenant, userId } = query
      const values = { tenant, userId, ...named('from', after) }
      const [end] = all(endSql, { ...values, offset: pieceRows - 1 })
      const rows = all(sums(end !== undefined), { ...values, ...named('to', end) })
      return { groups: rows.map((row) => storageGroup(kind, row as [string, ...number[]])), end }
    },
  }
}

function named(prefix: string, position: StoragePosition = []): Record<string, string | number> {
  return Object.fromEntries(position.map((value, i) => [`${prefix}${i}`, value]))
}

/** The statements that find the last row of a piece, and that sum its rows. */
export function storageSql(
  { by, tenant, userId }: Pick<StorageQuery, 'by' | 'tenant' | 'userId'>,
  kind: StorageKind,
  isContinued: boolean,
) {
  const { from, columns: all, sums } = TABLES[kind]
  // a row value is found in an index only behind the columns that the query sets
  const columns = all.slice(tenant === undefined ? 0 : userId === undefined ? 1 : 2)
  const place = (name: string) => `(${columns.map((_, i) => `@${name}${i}`).join(', ')})`
  const order = columns.join(', ')
  const key = by === 'user' ? 'user_id' : 'tenant'
  const scanned = [
    'true',
    ...(tenant === undefined ? [] : ['tenant = @tenant']),
    // with +, as a filter: as a constant SQLite would leave it out of the order and sort the rows
    ...(userId === undefined ? [] : [tenant === undefined ? '+user_id = @userId' : 'user_id = @userId']),
    ...(isContinued ? [`(${order}) > ${place('from')}`] : []),
  ]
  return {
    end: `
      select ${order}
      from ${from}
      where ${scanned.join(' and ')}
      order by ${order}
      limit 1 offset @offset + 0`,
    sums: (isLimited: boolean) => `
      select ${key}, ${sums}
      from ${from}
      where ${[...scanned, ...(isLimited ? [`(${order}) <= ${place('to')}`] : [])].join(' and ')}
      group by ${key}`,
  }
}
