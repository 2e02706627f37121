import type { Database } from 'better-sqlite3'
import { labelsOf } from '../../domain/label.ts'
import type { SessionRecord } from '../../domain/record.ts'
import type { LabelQuery } from '../../ports/session-store.ts'
import { LIMIT } from './limit.ts'
import { prepared } from './statement.ts'

const INSERT_LABEL = `
  insert into session_labels (session_id, label, tenant, user_id)
  values (?, ?, ?, ?)
  on conflict do nothing`

/** @userId null: of any user. */
export const SELECT_LABELLED = `
  select session_id
  from session_labels
  where tenant = @tenant and label = @label and (@userId is null or user_id = @userId)
  ${LIMIT}`

/** The labels of sessions: an index on their metadata. Each write runs inside an open transaction. */
export function labelWriter(db: Database) {
  const insert = prepared(db, INSERT_LABEL)
  const remove = prepared(db, 'delete from session_labels where session_id = ?')

  function save({ id, tenant, userId, metadata }: SessionRecord): void {
    for (const label of labelsOf(metadata)) insert.run(id, label, tenant, userId)
  }

  return {
    save,
    remove: (sessionId: string) => remove.run(sessionId),

    /** Replaces the labels of a session whose metadata may have changed. */
    replace(record: SessionRecord): void {
      remove.run(record.id)
      save(record)
    },
  }
}

export type LabelWriter = ReturnType<typeof labelWriter>

export function labelReader(db: Database) {
  const select = prepared<[object], string>(db, SELECT_LABELLED).pluck()

  return {
    labelled: ({ tenant, userId, label, limit }: LabelQuery): string[] =>
      select.all({ tenant, userId: userId ?? null, label, limit }),
  }
}
