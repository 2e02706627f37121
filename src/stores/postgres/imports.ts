import { ImportConflictError, SequenceConflictError, SessionActiveError } from '../../domain/errors.ts'
import { isWithin } from '../../domain/record.ts'
import type { FoundImport, ImportBlock, ImportStore, UnfinishedQuery } from '../../ports/import-store.ts'
import type { Connections, Statement } from './connection.ts'
import { byText, mergeSorted, type Partitions } from './partitions.ts'
import {
  edgeColumns,
  eventColumns,
  type FlatView,
  ownerOf,
  type ViewRow,
  viewJson,
  viewOf,
  viewOfJson,
} from './rows.ts'
import type { SessionLocator } from './session-locator.ts'
import { homeOf } from './sessions.ts'
import { usageJson } from './usage-json.ts'

/** No row: the session does not exist, not even in part. */
const FIND: Statement = {
  name: 'import-find',
  text: 'select (f.view).*, f.importing, f.last_event from context.find_import($1, $2) f',
}

const WRITE: Statement = {
  name: 'import-write',
  text: `
    select outcome, current_head, other
    from context.import_events($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::json[], $13, $14, $15, $16, $17, $18, $19,
      $20, $21, $22)`,
}

const UNFINISHED: Statement = {
  name: 'import-unfinished',
  text: 'select context.list_imports($1, $2, $3, $4, $5) as id',
}

const DISCARD: Statement = { name: 'import-discard', text: 'select context.discard_import($1, $2) as events' }

/** The columns of `context.session_views` are null while the import is unfinished. */
interface FoundRow extends ViewRow {
  importing: FlatView | null
  last_event: string
}

interface Outcome {
  outcome: 'written' | 'owner' | 'conflict' | 'active' | 'commit'
  current_head: number
  other: string
}

/** Imports of sessions. */
export function importCalls({ query }: Connections, locator: SessionLocator, partitions: Partitions): ImportStore {
  async function find(sessionId: string): Promise<FoundImport | undefined> {
    const [row] =
      (await locator.at({ sessionId }, async (partition) => {
        const rows = await query<FoundRow>(FIND, [partition, sessionId], { retry: true })
        return rows.length === 0 ? undefined : rows
      })) ?? []
    if (row === undefined) return undefined
    const { importing, last_event: lastEventId } = row
    if (importing === null) return { view: viewOf(row), lastEventId, isUnfinished: false }
    return { view: viewOfJson(importing), lastEventId, isUnfinished: true }
  }

  return {
    find,

    // not retried: a repeat would conflict with what the first attempt wrote
    async write(block): Promise<void> {
      const { sessionId, view } = block
      const home = homeOf(view)
      const { taken, entry } = block.after === 0 ? await locator.claim(sessionId, home) : {}
      if (taken !== undefined) throw new ImportConflictError({ sessionId, reason: 'owner' })
      const [row] = await query<Outcome>(WRITE, [home, ...columns(block)], { retry: false })
      const { outcome, current_head: head } = row as Outcome
      if (outcome === 'written') return
      await locator.free(entry)
      if (outcome === 'conflict' && head === 0 && (await locator.isElsewhere(sessionId, home)))
        throw new ImportConflictError({ sessionId, reason: 'owner' })
      throw refusal(block, row as Outcome)
    },

    async unfinished({ after, limit, within, abandoned }: UnfinishedQuery): Promise<string[]> {
      // a purge or a fork is one statement here
      if (abandoned === true) return []
      const values = [...ownerOf({ within }), after || null, limit]
      const pages = await partitions.ofUser(within, async (partition) =>
        (await query<{ id: string }>(UNFINISHED, [partition, ...values], { retry: true })).map(({ id }) => id),
      )
      return mergeSorted(pages, limit, byText)
    },

    async discard({ sessionId, within }): Promise<number> {
      const found = within && (await find(sessionId))
      if (within !== undefined && (found === undefined || !isWithin(found.view.record, within))) return 0
      return (
        (await locator.at({ sessionId }, async (partition) => {
          const entry = await locator.entryOf(sessionId, partition)
          const [row] = await query<{ events: number }>(DISCARD, [partition, sessionId], { retry: false })
          // no event: the import may be in another partition
          if (!row?.events) return undefined
          await locator.free(entry)
          return row.events
        })) ?? 0
      )
    },
  }
}

/** The parameters of `context.import_events`. */
function columns({ sessionId, after, done, view, events, edges, usage }: ImportBlock): unknown[] {
  return [
    sessionId,
    after,
    done,
    viewJson(view),
    events.map(({ sequence }) => sequence),
    events.map(({ createdAt }) => createdAt),
    ...eventColumns(events),
    ...edgeColumns(edges),
    usage?.cleared ?? false,
    usage && usageJson(usage.rows),
  ]
}

function refusal({ sessionId, after, view }: ImportBlock, { outcome, current_head: actual, other }: Outcome): Error {
  if (outcome === 'conflict') return new SequenceConflictError({ sessionId, expected: after, actual })
  if (outcome === 'active') {
    return new SessionActiveError({ sessionId: other, conversationId: view.record.conversationId })
  }
  return new ImportConflictError({ sessionId, reason: outcome === 'commit' ? 'commit' : 'owner' })
}
