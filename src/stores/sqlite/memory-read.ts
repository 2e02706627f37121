import type { Database } from 'better-sqlite3'
import { LIMITS } from '../../domain/limits.ts'
import type { Memory, MemoryChange } from '../../domain/memory/memory.ts'
import type { Principal } from '../../domain/record.ts'
import type { MemoriesQuery, SourceQuery } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import { fillList } from '../page.ts'
import { LIMIT } from './limit.ts'
import { type ChangeRow, changeOf, type MemoryRow, memoryOf } from './memory-rows.ts'
import { OWNED, ownerOf } from './owner-filter.ts'
import { prepared } from './statement.ts'

export const SELECT_MEMORY = `
  select *
  from memories
  where id = @id and ${OWNED}`

/** @ids is a JSON array. */
export const SELECT_OWN_MEMORIES = `
  select *
  from memories
  where tenant = @tenant and user_id = @userId and id in (select value from json_each(@ids))`

export const LIST_MEMORIES = `
  select *
  from memories
  where tenant = @tenant and user_id = @userId and id > @after
  order by id
  ${LIMIT}`

export const SELECT_FROM_SOURCE = `
  select m.*
  from memory_sources s
  join memories m on m.tenant = s.tenant and m.user_id = s.user_id and m.id = s.memory_id
  where s.tenant = @tenant and s.user_id = @userId and s.key = @key and s.memory_id > @after
  order by s.memory_id
  ${LIMIT}`

/** First expired first. */
export const SELECT_EXPIRED_MEMORIES = `
  select *
  from memories
  where expires_at <= @at and ${OWNED}
  order by expires_at, id
  ${LIMIT}`

export const SELECT_UNREAD = `
  select *
  from memories
  where tenant = @tenant and user_id = @userId and superseded_by is null and index_version < @version
  ${LIMIT}`

/** The first match if several users have the id. */
export const SELECT_HISTORY = `
  select version, at, change, confidence, source, note, by_memory
  from memory_history
  where memory = (select number from memories where id = @id and ${OWNED} limit 1) and version > @after
  order by version
  limit ${LIMITS.page}`

/** Reads of memories. */
export function memoryReader(db: Database) {
  const selectMemory = prepared<[object], MemoryRow>(db, SELECT_MEMORY)
  const listMemories = prepared<[object], MemoryRow>(db, LIST_MEMORIES)
  const selectFromSource = prepared<[object], MemoryRow>(db, SELECT_FROM_SOURCE)
  const selectExpired = prepared<[object], MemoryRow>(db, SELECT_EXPIRED_MEMORIES)
  const selectUnread = prepared<[object], MemoryRow>(db, SELECT_UNREAD)
  const selectHistory = prepared<[object], ChangeRow>(db, SELECT_HISTORY)

  /** One by one, to read no more of them than fit a page. */
  function* rowsOf(ids: readonly string[], within: Principal | undefined): Generator<MemoryRow> {
    for (const id of ids) yield* selectMemory.all({ id, ...ownerOf(within) })
  }

  return {
    get(ids: readonly string[], within: Principal | undefined): Memory[] {
      return fillList(rowsOf(ids, within), memoryOf)
    },

    list({ tenant, userId, after = '', limit }: MemoriesQuery): Memory[] {
      return fillList(listMemories.iterate({ tenant, userId, after, limit }), memoryOf)
    },

    history(id: string, within: Principal | undefined, after = 0): MemoryChange[] {
      return fillList(selectHistory.iterate({ id, after, ...ownerOf(within) }), changeOf)
    },

    fromSource({ tenant, userId, key, after = '', limit }: SourceQuery): Memory[] {
      return fillList(selectFromSource.iterate({ tenant, userId, key, after, limit }), memoryOf)
    },

    expired(at: string, limit: number, within: Principal | undefined): Memory[] {
      return fillList(selectExpired.iterate({ at, limit, ...ownerOf(within) }), memoryOf)
    },

    unread({ tenant, userId }: UserKey, version: number, limit: number): Memory[] {
      return fillList(selectUnread.iterate({ tenant, userId, version, limit }), memoryOf)
    },
  }
}
