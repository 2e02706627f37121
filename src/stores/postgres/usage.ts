import type { DailyUsage } from '../../domain/usage.ts'
import type { SessionKey, UsageGroup, UsageQuery, UsageRowsQuery } from '../../ports/session-store.ts'
import { sumsOf } from '../usage-numbers.ts'
import { collectUsage, mergeGroups, type UsagePosition, usageScan } from '../usage-pages.ts'
import type { Connections, Statement } from './connection.ts'
import type { Partitions } from './partitions.ts'
import { ownerOf } from './rows.ts'
import type { SessionLocator } from './session-locator.ts'
import { requireSession } from './sessions.ts'

const ROWS: Statement = {
  name: 'usage-rows',
  text: 'select day, model, sums from context.read_usage_rows($1, $2, $3, $4, $5, $6, $7)',
}

const SUM: Statement = {
  name: 'usage',
  text: 'select groups, last from context.sum_usage($1, $2, $3, $4, $5, $6, $7, $8, $9)',
}

/** Rows of one piece of a report. */
const PIECE = 10_000

type Numbers = (number | string)[]

/** Reads usage. `pieceRows`: rows to sum in one call. */
export function usageCalls({ query }: Connections, locator: SessionLocator, partitions: Partitions) {
  return {
    async rows(key: SessionKey, { after, limit }: UsageRowsQuery): Promise<DailyUsage[]> {
      const values = [key.sessionId, ...ownerOf(key), after?.day ?? '', after?.model ?? '', limit]
      const rows = await locator.at(key, (partition) => {
        const found = query<{ day: string; model: string; sums: Numbers }>(ROWS, [partition, ...values], {
          retry: true,
        })
        return requireSession(key, found)
      })
      return rows.map(({ day, model, sums }) => ({ day, model, ...sumsOf(sums) }))
    },

    async sums(request: UsageQuery): Promise<UsageGroup[]> {
      const { tenant, userId, since, until, after, limit } = request
      const filters = [usageScan(request).key, tenant, userId, since, until, after].map((value) => value ?? null)
      const pages = await partitions.ofUser({ tenant, userId }, (partition) =>
        collectUsage(request, async (position) => {
          const values = [partition, ...filters, position ?? null, PIECE]
          const [row] = await query<{ groups: GroupRow[] | null; last: UsagePosition | null }>(SUM, values, {
            retry: true,
          })
          return { groups: (row?.groups ?? []).map(groupOf), end: row?.last ?? undefined }
        }),
      )
      return mergeGroups(pages, limit)
    },
  }
}

interface GroupRow {
  key: string
  sums: Numbers
}

function groupOf({ key, sums }: GroupRow): UsageGroup {
  return { key, ...sumsOf(sums) }
}
