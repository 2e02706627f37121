import type { Database } from 'better-sqlite3'
import { IdempotencyMismatchError } from '../../domain/errors.ts'
import type { Principal } from '../../domain/record.ts'
import type { ChangeRequest } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { IdempotencyStamp } from '../../ports/session-store.ts'
import { LIMIT } from './limit.ts'
import { OWNED, ownerOf } from './owner-filter.ts'
import { removeSomeSql } from './pieces.ts'
import { prepared } from './statement.ts'

export const SELECT_MEMORY_KEY = `
  select fingerprint, response
  from memory_keys
  where tenant = ? and user_id = ? and key = ?`

/** The first match if several users have the key. */
export const SELECT_RESPONSE = `
  select response
  from memory_keys
  where fingerprint = @fingerprint and key = @key and ${OWNED}
  limit 1`

const INSERT_MEMORY_KEY = `
  insert into memory_keys (tenant, user_id, key, fingerprint, response, at)
  values (?, ?, ?, ?, ?, ?)`

/** Oldest first. */
export const FORGET_KEYS = `
  delete from memory_keys
  where (tenant, user_id, key) in (
    select tenant, user_id, key from memory_keys where at < @before and ${OWNED} order by at ${LIMIT}
  )`

const REMOVE_KEYS = removeSomeSql('memory_keys', 'key', 'tenant = @tenant and user_id = @userId')

/** Idempotency keys of changes to memories. */
export function createMemoryKeys(db: Database) {
  const selectKey = prepared<[string, string, string], { fingerprint: string; response: string }>(db, SELECT_MEMORY_KEY)
  const selectResponse = prepared<[object], string>(db, SELECT_RESPONSE).pluck()
  const insertKey = prepared(db, INSERT_MEMORY_KEY)
  const forgetKeys = prepared(db, FORGET_KEYS)
  const removeKeys = prepared<[object]>(db, REMOVE_KEYS)

  return {
    /** The stored response of the key of a change. */
    findReplay({ tenant, userId, idempotency }: ChangeRequest): string | undefined {
      const row = idempotency && selectKey.get(tenant, userId, idempotency.key)
      if (idempotency === undefined || row === undefined) return undefined
      const { key, fingerprint } = idempotency
      if (row.fingerprint !== fingerprint) throw new IdempotencyMismatchError({ userId, key })
      return row.response
    },

    save({ tenant, userId, idempotency, at }: ChangeRequest, response: string | undefined): void {
      if (idempotency === undefined || response === undefined) return
      insertKey.run(tenant, userId, idempotency.key, idempotency.fingerprint, response, at)
    },

    findResponse({ key, fingerprint }: IdempotencyStamp, within: Principal | undefined): string | undefined {
      return selectResponse.get({ key, fingerprint, ...ownerOf(within) })
    },

    /** Removes keys before a time and returns their number. */
    forget(before: string, limit: number, within: Principal | undefined): number {
      return forgetKeys.run({ before, limit, ...ownerOf(within) }).changes
    },

    /** Removes some keys of a user and returns their number. */
    removeSome({ tenant, userId }: UserKey): number {
      return removeKeys.run({ tenant, userId }).changes
    },
  }
}

export type MemoryKeys = ReturnType<typeof createMemoryKeys>
