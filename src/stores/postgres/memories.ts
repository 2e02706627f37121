import type { Memory, MemoryChange } from '../../domain/memory/memory.ts'
import type { Principal } from '../../domain/record.ts'
import type { MemoriesQuery, MemoryStore, SourceQuery } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { IdempotencyStamp } from '../../ports/session-store.ts'
import type { Connections, Statement } from './connection.ts'
import { changeIn } from './memory-change.ts'
import { type ChangeRow, changeOf, type MemoryRow, memoryOf } from './memory-rows.ts'
import { isUuid, ownerOf } from './rows.ts'

const GET: Statement = { name: 'memories-get', text: 'select * from context.get_memories($1, $2, $3)' }

const LIST: Statement = { name: 'memories-list', text: 'select * from context.list_memories($1, $2, $3, $4)' }

const HISTORY: Statement = { name: 'memories-history', text: 'select * from context.read_memory_history($1, $2, $3)' }

const BY_SOURCE: Statement = {
  name: 'memories-by-source',
  text: 'select * from context.memories_by_source($1, $2, $3, $4, $5)',
}

const MARK_USED: Statement = { name: 'memories-mark-used', text: 'select context.count_memory_uses($1, $2, $3, $4)' }

const EXPIRED: Statement = { name: 'memories-expired', text: 'select * from context.expired_memories($1, $2, $3, $4)' }

const UNINDEXED: Statement = {
  name: 'memories-unindexed',
  text: 'select * from context.unindexed_memories($1, $2, $3, $4)',
}

const RESPONSE: Statement = { name: 'memories-response', text: 'select * from context.find_memory_key($1, $2, $3, $4)' }

const FORGET_KEYS: Statement = {
  name: 'memories-forget-keys',
  text: 'select context.delete_memory_keys($1, $2, $3, $4) as keys',
}

const PURGE: Statement = { name: 'memories-purge', text: 'select * from context.purge_memories($1, $2)' }

/** Memories. Each call is one statement, except `change`. */
export function memoryCalls(connections: Connections): MemoryStore {
  const { query } = connections

  async function read(statement: Statement, values: unknown[]): Promise<Memory[]> {
    return (await query<MemoryRow>(statement, values, { retry: true })).map(memoryOf)
  }

  const owner = (within: Principal | undefined) => ownerOf({ within })
  /** Drops other texts, which the server would refuse as ids. */
  const valid = (ids: readonly string[]) => ids.filter(isUuid)

  return {
    change: (request) => changeIn(connections, request),

    get: (ids, within) => read(GET, [...owner(within), valid(ids)]),

    list: ({ tenant, userId, after, limit }: MemoriesQuery) => read(LIST, [tenant, userId, after || null, limit]),

    async history(id, within): Promise<MemoryChange[]> {
      if (!isUuid(id)) return []
      return (await query<ChangeRow>(HISTORY, [...owner(within), id], { retry: true })).map(changeOf)
    },

    fromSource: ({ tenant, userId, key, after, limit }: SourceQuery) =>
      read(BY_SOURCE, [tenant, userId, key, after || null, limit]),

    async markUsed({ tenant, userId }: UserKey, ids, at): Promise<void> {
      await query(MARK_USED, [tenant, userId, valid(ids), at], { retry: false })
    },

    expired: (at, limit, within) => read(EXPIRED, [...owner(within), at, limit]),

    unindexed: ({ tenant, userId }: UserKey, version, limit) => read(UNINDEXED, [tenant, userId, version, limit]),

    async findResponse({ key, fingerprint }: IdempotencyStamp, within) {
      const values = [...owner(within), key, fingerprint]
      const [row] = await query<{ response: string }>(RESPONSE, values, { retry: true })
      return row?.response
    },

    async forgetKeys(before, limit, within) {
      const values = [...owner(within), before, limit]
      const [row] = await query<{ keys: number }>(FORGET_KEYS, values, { retry: false })
      return row?.keys ?? 0
    },

    async purge({ tenant, userId }: UserKey) {
      const counts = await query<{ memories: number; keys: number }>(PURGE, [tenant, userId], { retry: false })
      return counts[0] ?? { memories: 0, keys: 0 }
    },
  }
}
