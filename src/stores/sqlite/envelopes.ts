import type { Database } from 'better-sqlite3'
import type { SessionView } from '../../domain/fold.ts'
import { encodeTrustedJson } from '../../domain/json.ts'
import { defined } from '../../domain/optional.ts'
import type { EnvelopeFilter, EnvelopeRow } from '../../ports/envelope-store.ts'
import { LIMIT } from './limit.ts'
import { type EnvelopeColumns, envelopeOf } from './rows.ts'
import { prepared } from './statement.ts'
import { ENVELOPE, JOIN_ENVELOPE } from './view-sql.ts'

/** Replaces the row, so the trigger that sets the time of external updates does not fire. */
const PUT_ENVELOPE = `
  insert or replace into session_envelopes (
    session_id, persona_id, tenant, subject, issuer, scope, metadata, analysis, created_at, updated_at, batch, sequence
  ) values (
    @session_id, @persona_id, @tenant, @subject, @issuer, @scope, @metadata, @analysis, @created_at, @updated_at,
    @batch, @sequence
  )`

const ROW = `
  select s.id, s.envelope_at, ${ENVELOPE}
  from sessions s
  ${JOIN_ENVELOPE}`

export const SELECT_ENVELOPES = `
  ${ROW}
  where s.id > @after
  order by s.id
  ${LIMIT}`

/** @ids: a JSON array. */
export const FIND_ENVELOPES = `
  ${ROW}
  where s.id in (select value from json_each(@ids))`

/** The statements for one condition. @value is the batch or the time. */
function selectionSql(condition: string, index: string) {
  // without the hint, SQLite walks all rows to avoid the sort by session
  const table = `session_envelopes indexed by ${index}`
  return {
    count: `select count(*) from ${table} where ${condition}`,
    /** Returns the sessions in any order. */
    remove: `
      delete from session_envelopes
      where session_id in (
        select session_id from ${table} where ${condition} order by session_id ${LIMIT}
      )
      returning session_id`,
  }
}

export const OF_BATCH = selectionSql('batch = @value', 'session_envelopes_batch')
export const SINCE = selectionSql('updated_at >= @value', 'session_envelopes_updated')

/** Writes to stored envelopes, each inside an open transaction. */
export function envelopeWriter(db: Database) {
  const put = prepared(db, PUT_ENVELOPE)
  const deleteOne = prepared(db, 'delete from session_envelopes where session_id = ?')
  const removeOfBatch = prepared<[object], string>(db, OF_BATCH.remove).pluck()
  const removeSince = prepared<[object], string>(db, SINCE.remove).pluck()

  return {
    /** Stores the envelope of the view, if it has one. */
    save({ record, envelope, envelopeAt }: SessionView): void {
      if (envelope === undefined) return
      const { document, batch } = envelope
      const { persona_id, tenant, subject, issuer, scope, metadata, analysis, timestamps } = document
      put.run({
        session_id: record.id,
        persona_id,
        tenant,
        subject,
        issuer: issuer ?? null,
        scope: scope ?? null,
        metadata: encodeTrustedJson(metadata),
        analysis: encodeTrustedJson(analysis),
        ...timestamps,
        batch: batch ?? null,
        sequence: envelopeAt,
      })
    },

    forget(sessionId: string): void {
      deleteOne.run(sessionId)
    },

    remove(which: EnvelopeFilter, limit: number): string[] {
      const removed =
        'batch' in which
          ? removeOfBatch.all({ value: which.batch, limit })
          : removeSince.all({ value: which.since, limit })
      return removed.sort()
    },
  }
}

export type EnvelopeWriter = ReturnType<typeof envelopeWriter>

/** Reads of stored envelopes. */
export function envelopeReader(db: Database) {
  type Row = EnvelopeColumns & { id: string; envelope_at: number }
  const selectPage = prepared<[object], Row>(db, SELECT_ENVELOPES)
  const selectFound = prepared<[object], Row>(db, FIND_ENVELOPES)
  const countOfBatch = prepared<[object], number>(db, OF_BATCH.count).pluck()
  const countSince = prepared<[object], number>(db, SINCE.count).pluck()

  function toEnvelopeRow(row: Row): EnvelopeRow {
    const envelope = envelopeOf(row.id, row)
    return defined({ sessionId: row.id, envelopeAt: row.envelope_at, envelope })
  }

  return {
    page({ after = '', limit }: { after?: string; limit: number }): EnvelopeRow[] {
      return selectPage.all({ after, limit }).map(toEnvelopeRow)
    },

    find(ids: readonly string[]): EnvelopeRow[] {
      return selectFound.all({ ids: JSON.stringify(ids) }).map(toEnvelopeRow)
    },

    count(which: EnvelopeFilter): number {
      const found = 'batch' in which ? countOfBatch.get({ value: which.batch }) : countSince.get({ value: which.since })
      return found ?? 0
    },
  }
}
