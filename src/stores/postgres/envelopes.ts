import type { EnvelopeFilter, EnvelopeRow, EnvelopeStore } from '../../ports/envelope-store.ts'
import type { Connections, Statement } from './connection.ts'
import { type EnvelopeColumns, envelopeOf } from './envelope-rows.ts'
import { isUuid } from './rows.ts'

const PAGE: Statement = { name: 'envelopes-page', text: 'select * from context.list_envelopes($1, $2)' }

const FIND: Statement = { name: 'envelopes-find', text: 'select * from context.find_envelopes($1)' }

const COUNT: Statement = { name: 'envelopes-count', text: 'select context.count_envelopes($1, $2) as count' }

const REMOVE: Statement = { name: 'envelopes-remove', text: 'select context.remove_envelopes($1, $2, $3) as id' }

interface Row extends EnvelopeColumns {
  id: string
  envelope_at: number
}

/** The stored envelopes of all sessions. */
export function envelopeCalls({ query }: Connections): EnvelopeStore {
  async function read(statement: Statement, values: unknown[]): Promise<EnvelopeRow[]> {
    return (await query<Row>(statement, values, { retry: true })).map(rowOf)
  }

  return {
    page: ({ after, limit }) => read(PAGE, [after || null, limit]),

    // the server would refuse other texts as ids
    find: (ids) => read(FIND, [ids.filter(isUuid)]),

    async count(which) {
      const [row] = await query<{ count: string }>(COUNT, filterValues(which), { retry: true })
      return Number(row?.count ?? 0)
    },

    // not retried: the caller needs the ids that the first attempt removed
    async remove(which, limit) {
      return (await query<{ id: string }>(REMOVE, [...filterValues(which), limit], { retry: false })).map(
        ({ id }) => id,
      )
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
