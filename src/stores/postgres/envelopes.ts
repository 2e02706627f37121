import type { EnvelopeFilter, EnvelopeRow, EnvelopeStore } from '../../ports/envelope-store.ts'
import type { Connections, Statement } from './connection.ts'
import { type EnvelopeColumns, envelopeOf } from './envelope-rows.ts'

const PAGE: Statement = { name: 'envelopes-page', text: 'select * from context.list_envelopes($1, $2)' }

const FIND: Statement = { name: 'envelopes-find', text: 'select * from context.find_envelopes($1)' }

const COUNT: Statement = { name: 'envelopes-count', text: 'select context.count_envelopes($1, $2) as count' }

const REMOVE: Statement = { name: 'envelopes-remove', text: 'select context.remove_envelopes($1, $2, $3) as id' }

interface Row extends EnvelopeColumns {
  id: string
  envelope_at: number
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The stored envelopes of all sessions, one call to the server each. Reads may be sent again when a connection is lost. */
export function envelopeCalls({ query }: Connections): EnvelopeStore {
  async function read(statement: Statement, values: unknown[]): Promise<EnvelopeRow[]> {
    return (await query<Row>(statement, values, { again: true })).map(rowOf)
  }

  return {
    page: ({ after, limit }) => read(PAGE, [after || null, limit]),

    // no session has any other id
    find: (ids) => read(FIND, [ids.filter((id) => UUID.test(id))]),

    async count(which) {
      const [row] = await query<{ count: string }>(COUNT, chosen(which), { again: true })
      return Number(row?.count ?? 0)
    },

    // not again: whoever asked has to be told of all that went
    async remove(which, limit) {
      return (await query<{ id: string }>(REMOVE, [...chosen(which), limit], { again: false })).map(({ id }) => id)
    },
  }
}

/** Batch and moment as the functions take them, one of the two null. */
function chosen(which: EnvelopeFilter): [batch: string | null, since: string | null] {
  return 'batch' in which ? [which.batch, null] : [null, which.since]
}

function rowOf(row: Row): EnvelopeRow {
  return { sessionId: row.id, envelopeAt: row.envelope_at, ...envelopeOf(row.id, row) }
}
