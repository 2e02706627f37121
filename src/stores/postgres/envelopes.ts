import type { EnvelopeFilter, EnvelopeRow, EnvelopeStore } from '../../ports/envelope-store.ts'
import type { Connections, Statement } from './connection.ts'
import { type EnvelopeColumns, envelopeOf } from './envelope-rows.ts'
import { byText, mergeSorted, type Partitions } from './partitions.ts'
import { isUuid } from './rows.ts'

const PAGE: Statement = { name: 'envelopes-page', text: 'select * from context.list_envelopes($1, $2, $3)' }

const FIND: Statement = { name: 'envelopes-find', text: 'select * from context.find_envelopes($1, $2)' }

const COUNT: Statement = { name: 'envelopes-count', text: 'select context.count_envelopes($1, $2, $3) as count' }

const REMOVE: Statement = { name: 'envelopes-remove', text: 'select context.remove_envelopes($1, $2, $3, $4) as id' }

interface Row extends EnvelopeColumns {
  id: string
  envelope_at: number
}

/** The stored envelopes of all sessions. */
export function envelopeCalls({ query }: Connections, { everywhere }: Partitions): EnvelopeStore {
  async function read(statement: Statement, values: unknown[]): Promise<EnvelopeRow[][]> {
    return await everywhere(async (partition) =>
      (await query<Row>(statement, [partition, ...values], { retry: true })).map(rowOf),
    )
  }

  return {
    async page({ after, limit }) {
      return mergeSorted(await read(PAGE, [after || null, limit]), limit, (a, b) => byText(a.sessionId, b.sessionId))
    },

    // the server would refuse other texts as ids
    find: async (ids) => (await read(FIND, [ids.filter(isUuid)])).flat(),

    async count(which) {
      const counts = await everywhere((partition) =>
        query<{ count: string }>(COUNT, [partition, ...filterValues(which)], { retry: true }),
      )
      return counts.flat().reduce((sum, { count }) => sum + Number(count), 0)
    },

    // not retried: the caller needs the ids that the first attempt removed
    async remove(which, limit) {
      const removed: string[] = []
      await everywhere(async (partition) => {
        if (removed.length === limit) return
        const values = [partition, ...filterValues(which), limit - removed.length]
        const rows = await query<{ id: string }>(REMOVE, values, { retry: false })
        removed.push(...rows.map(({ id }) => id))
      })
      return removed
    },
  }
}

/** Batch and time as the functions take them, one of the two null. */
function filterValues(which: EnvelopeFilter): [batch: string | null, since: string | null] {
  return 'batch' in which ? [which.batch, null] : [null, which.since]
}

function rowOf(row: Row): EnvelopeRow {
  return { sessionId: row.id, envelopeAt: row.envelope_at, ...envelopeOf(row.id, row) }
}
