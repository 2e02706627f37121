import type { Memory, MemoryChange } from '../../domain/memory/memory.ts'
import type { Principal } from '../../domain/record.ts'
import type { MemoriesQuery, MemoryStore, SourceQuery } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { IdempotencyStamp } from '../../ports/session-store.ts'
import type { Connections, Statement } from './connection.ts'
import { changeIn } from './memory-change.ts'
import { type ChangeRow, changeOf, type MemoryRow, memoryOf } from './memory-rows.ts'
import { ownerOf } from './rows.ts'

const GET: Statement = { name: 'memories-get', text: 'select * from context.get_memories($1, $2, $3)' }

const LIST: Statement = { name: 'memories-list', text: 'select * from context.list_memories($1, $2, $3, $4)' }

const HISTORY: Statement = { name: 'memories-history', text: 'select * from context.read_memory_history($1, $2, $3)' }

const FROM: Statement = { name: 'memories-from', text: 'select * from context.memories_by_source($1, $2, $3, $4, $5)' }

const USED: Statement = { name: 'memories-used', text: 'select context.count_memory_uses($1, $2, $3, $4)' }

const EXPIRED: Statement = { name: 'memories-expired', text: 'select * from context.expired_memories($1, $2, $3, $4)' }

const UNREAD: Statement = { name: 'memories-unread', text: 'select * from context.unindexed_memories($1, $2, $3, $4)' }

const ANSWERED: Statement = { name: 'memories-answered', text: 'select * from context.find_memory_key($1, $2, $3, $4)' }

const FORGET_KEYS: Statement = {
  name: 'memories-forget-keys',
  text: 'select context.delete_memory_keys($1, $2, $3, $4) as keys',
}

const PURGE: Statement = { name: 'memories-purge', text: 'select * from context.purge_memories($1, $2)' }

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Memories, one call to the server each but for changes. Reads may be sent again when a connection is lost. */
export function memoryCalls(connections: Connections): MemoryStore {
  const { query } = connections

  async function read(statement: Statement, values: unknown[]): Promise<Memory[]> {
    return (await query<MemoryRow>(statement, values, { again: true })).map(memoryOf)
  }

  const owner = (within: Principal | undefined) => ownerOf({ ...(within && { within }) })
  /** No memory has any other id. */
  const known = (ids: readonly string[]) => ids.filter((id) => UUID.test(id))

  return {
    change: (request) => changeIn(connections, request),

    get: (ids, within) => read(GET, [...owner(within), known(ids)]),

    list: ({ tenant, userId, after, limit }: MemoriesQuery) => read(LIST, [tenant, userId, after || null, limit]),

    async history(id, within): Promise<MemoryChange[]> {
      if (!UUID.test(id)) return []
      return (await query<ChangeRow>(HISTORY, [...owner(within), id], { again: true })).map(changeOf)
    },

    fromSource: ({ tenant, userId, key, after, limit }: SourceQuery) =>
      read(FROM, [tenant, userId, key, after || null, limit]),

    async markUsed({ tenant, userId }: UserKey, ids, at): Promise<void> {
      await query(USED, [tenant, userId, known(ids), at], { again: false })
    },

    expired: (at, limit, within) => read(EXPIRED, [...owner(within), at, limit]),

    unindexed: ({ tenant, userId }: UserKey, version, limit) => read(UNREAD, [tenant, userId, version, limit]),

    async findResponse({ key, fingerprint }: IdempotencyStamp, within) {
      const values = [...owner(within), key, fingerprint]
      const [row] = await query<{ response: string }>(ANSWERED, values, { again: true })
      return row?.response
    },

    async forgetKeys(before, limit, within) {
      const values = [...owner(within), before, limit]
      const [row] = await query<{ keys: number }>(FORGET_KEYS, values, { again: false })
      return row?.keys ?? 0
    },

    async purge({ tenant, userId }: UserKey) {
      const counts = await query<{ memories: number; keys: number }>(PURGE, [tenant, userId], { again: false })
      return counts[0] ?? { memories: 0, keys: 0 }
    },
  }
}
