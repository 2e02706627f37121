import { SessionNotFoundError } from '../../domain/errors.ts'
import type { LogSize, SessionKey, StorageGroup, StorageQuery } from '../../ports/session-store.ts'
import { collectStorage, mergeStorage, type StoragePosition, storageGroup } from '../storage-pages.ts'
import type { Connections, Statement } from './connection.ts'
import type { Partitions } from './partitions.ts'
import { ownerOf } from './rows.ts'
import type { SessionLocator } from './session-locator.ts'

const SIZE: Statement = { name: 'log-size', text: 'select head, bytes from context.log_size($1, $2, $3, $4)' }

const SUM: Statement = {
  name: 'storage',
  text: 'select groups, last from context.sum_storage($1, $2, $3, $4, $5, $6, $7)',
}

/** Rows of one piece of a report. */
const PIECE = 10_000

interface SumRow {
  groups: [key: string, rows: number, events: number, bytes: number][] | null
  last: StoragePosition | null
}

/** Reads what is stored. */
export function storageCalls({ query }: Connections, locator: SessionLocator, partitions: Partitions) {
  return {
    async size(key: SessionKey): Promise<LogSize> {
      const row = await locator.at(key, async (partition) => {
        const values = [partition, key.sessionId, ...ownerOf(key)]
        const [found] = await query<{ head: number; bytes: number | string }>(SIZE, values, { retry: true })
        return found
      })
      if (row === undefined) throw new SessionNotFoundError(key.sessionId)
      return { head: row.head, bytes: Number(row.bytes) }
    },

    async sums(request: StorageQuery): Promise<StorageGroup[]> {
      const { by, tenant, userId, limit } = request
      const key = by === 'user' ? 'user_id' : 'tenant'
      const pages = await partitions.ofUser({ tenant, userId }, (partition) =>
        collectStorage(request, async (kind, position) => {
          const values = [partition, kind, key, tenant ?? null, userId ?? null, position ?? null, PIECE]
          const [row] = await query<SumRow>(SUM, values, { retry: true })
          return { groups: (row?.groups ?? []).map((group) => storageGroup(kind, group)), end: row?.last ?? undefined }
        }),
      )
      return mergeStorage(pages, limit)
    },
  }
}
