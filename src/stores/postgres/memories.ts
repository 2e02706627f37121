import { LIMITS } from '../../domain/limits.ts'
import type { Memory, MemoryChange } from '../../domain/memory/memory.ts'
import { partitionOf } from '../../domain/partition.ts'
import type { Principal } from '../../domain/record.ts'
import type { MemoriesQuery, MemoryStore, SourceQuery } from '../../ports/memory-store.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { IdempotencyStamp } from '../../ports/session-store.ts'
import { fillList } from '../page.ts'
import type { Connections, Statement } from './connection.ts'
import { changeIn } from './memory-change.ts'
import { type ChangeRow, changeOf, type MemoryRow, memoryOf } from './memory-rows.ts'
import type { Partitions } from './partitions.ts'
import { isUuid, LIST_SIZE, ownerOf } from './rows.ts'
import type { SessionLocator } from './session-locator.ts'
import { TaskQueue } from './task-queue.ts'

const GET: Statement = { name: 'memories-get', text: 'select * from context.get_memories($1, $2, $3, $4, $5)' }

const LIST: Statement = {
  name: 'memories-list',
  text: 'select * from context.list_memories($1, $2, $3, $4, $5, $6)',
}

const HISTORY: Statement = {
  name: 'memories-history',
  text: 'select * from context.read_memory_history($1, $2, $3, $4, $5, $6, $7)',
}

const BY_SOURCE: Statement = {
  name: 'memories-by-source',
  text: 'select * from context.memories_by_source($1, $2, $3, $4, $5, $6, $7)',
}

const MARK_USED: Statement = {
  name: 'memories-mark-used',
  text: 'select context.count_memory_uses($1, $2, $3, $4, $5)',
}

const EXPIRED: Statement = {
  name: 'memories-expired',
  text: 'select * from context.expired_memories($1, $2, $3, $4, $5, $6)',
}

const UNINDEXED: Statement = {
  name: 'memories-unindexed',
  text: 'select * from context.unindexed_memories($1, $2, $3, $4, $5, $6)',
}

const RESPONSE: Statement = {
  name: 'memories-response',
  text: 'select * from context.find_memory_key($1, $2, $3, $4, $5)',
}

const FORGET_KEYS: Statement = {
  name: 'memories-forget-keys',
  text: 'select context.delete_memory_keys($1, $2, $3, $4, $5) as keys',
}

const PURGE: Statement = { name: 'memories-purge', text: 'select * from context.purge_memories($1, $2, $3, $4)' }
/** Rows that one call of a purge deletes: 10,000 entries of the index take about 35 ms. */
const PURGED_ROWS = 10_000

/**
 * Milliseconds that a change delays the next one of its user at most. A statement ends after 30 s, so the changes of
 * one user never wait on more than four connections, such as for the end of a long purge.
 */
const LONGEST_CHANGE = 10_000

/** What one call of a purge deleted. */
interface Purged {
  memories: number
  keys: number
  has_more: boolean
}

/** Memories of a user are in the user's partition; a caller who names no user asks everywhere. */
export function memoryCalls(connections: Connections, locator: SessionLocator, partitions: Partitions): MemoryStore {
  const { query } = connections
  const changes = new TaskQueue(LONGEST_CHANGE)

  async function list(statement: Statement, values: unknown[]): Promise<Memory[]> {
    return fillList(await query<MemoryRow>(statement, [...values, LIST_SIZE], { retry: true }), memoryOf)
  }

  const owner = (within: Principal | undefined) => ownerOf({ within })
  const userValues = ({ tenant, userId }: UserKey) => [partitionOf(tenant, userId), tenant, userId]
  /** Drops other texts, which the server would refuse as ids. */
  const valid = (ids: readonly string[]) => ids.filter(isUuid)

  return {
    change: (request) => {
      const whose = JSON.stringify([request.tenant, request.userId])
      return changes.run(whose, () => changeIn(connections, locator, request))
    },

    async get(ids, within) {
      const found = await partitions.ofUser(within, (partition) => list(GET, [partition, ...owner(within), valid(ids)]))
      if (found.length === 1) return found.flat()
      const places = new Map(ids.map((id, i) => [id, i]))
      const placeOf = ({ id }: Memory) => places.get(id) ?? 0
      return fillList(
        found.flat().sort((a, b) => placeOf(a) - placeOf(b)),
        (memory) => memory,
      )
    },

    list: ({ after, limit, ...user }: MemoriesQuery) => list(LIST, [...userValues(user), after || null, limit]),

    async history(id, within, after = 0): Promise<MemoryChange[]> {
      if (!isUuid(id)) return []
      const found = await partitions.ofUser(within, (partition) =>
        query<ChangeRow>(HISTORY, [partition, ...owner(within), id, after, LIMITS.page, LIST_SIZE], { retry: true }),
      )
      return fillList(found.flat(), changeOf)
    },

    fromSource: ({ key, after, limit, ...user }: SourceQuery) =>
      list(BY_SOURCE, [...userValues(user), key, after || null, limit]),

    async markUsed(user: UserKey, ids, at): Promise<void> {
      await query(MARK_USED, [...userValues(user), valid(ids), at], { retry: false })
    },

    async expired(at, limit, within) {
      const found = await partitions.ofUser(within, (partition) =>
        list(EXPIRED, [partition, ...owner(within), at, limit]),
      )
      return fillList(found.flat().slice(0, limit), (memory) => memory)
    },

    unindexed: (user: UserKey, version, limit) => list(UNINDEXED, [...userValues(user), version, limit]),

    async findResponse({ key, fingerprint }: IdempotencyStamp, within) {
      const found = await partitions.ofUser(within, (partition) =>
        query<{ response: string }>(RESPONSE, [partition, ...owner(within), key, fingerprint], { retry: true }),
      )
      return found.flat()[0]?.response
    },

    async forgetKeys(before, limit, within) {
      let forgotten = 0
      await partitions.ofUser(within, async (partition) => {
        const values = [partition, ...owner(within), before, limit - forgotten]
        const [row] = await query<{ keys: number }>(FORGET_KEYS, values, { retry: false })
        forgotten += row?.keys ?? 0
      })
      return forgotten
    },

    async purge(user: UserKey) {
      const total = { memories: 0, keys: 0 }
      for (let hasMore = true; hasMore; ) {
        const [purged] = await query<Purged>(PURGE, [...userValues(user), PURGED_ROWS], { retry: false })
        total.memories += purged?.memories ?? 0
        total.keys += purged?.keys ?? 0
        hasMore = purged?.has_more ?? false
      }
      return total
    },
  }
}
