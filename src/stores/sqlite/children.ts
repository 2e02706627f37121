import type { Database } from 'better-sqlite3'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { checkLive, type SessionRecord } from '../../domain/record.ts'
import type { SessionKey } from '../../ports/session-store.ts'
import { visibleRow } from './rows.ts'
import { prepared } from './statement.ts'

const SELECT_PARENT = `
  select id, ended_at as endedAt, expires_at as expiresAt
  from sessions
  where id = ? and tenant = ? and user_id = ?`

const SELECT_OWNER = 'select tenant, user_id from sessions where id = ?'

/**
 * Without the hints here and below, SQLite reads all sessions of the user. `union` ends at a session it has met: a
 * forged import may name parents in a circle.
 */
export const SELECT_DESCENDANTS = `
  with recursive tree (id) as (
    select @id
    union
    select s.id
    from tree t
    join sessions s indexed by sessions_children on s.parent_id = t.id and s.tenant = @tenant and s.user_id = @userId
  )
  select id
  from tree
  where id <> @id`

/** Children outside of a list of ids. */
export const SELECT_OTHER_CHILD = `
  select 1
  from json_each(@ids) w
  join sessions s indexed by sessions_children on s.parent_id = w.value and s.tenant = @tenant and s.user_id = @userId
  where s.id not in (select value from json_each(@ids))
  limit 1`

interface Parent {
  id: string
  endedAt: string | null
  expiresAt: string | null
}

/** Child sessions and their parents. */
export function childSessions(db: Database) {
  const selectParent = prepared<[string, string, string], Parent>(db, SELECT_PARENT)
  const selectOwner = prepared<[string], { tenant: string; user_id: string }>(db, SELECT_OWNER)
  const selectDescendants = prepared<[object], string>(db, SELECT_DESCENDANTS).pluck()
  const selectOther = prepared<[object], 1>(db, SELECT_OTHER_CHILD).pluck()

  return {
    /** Throws unless the parent of a new session exists, has the same owner and is live. */
    checkParent({ parent, tenant, userId }: SessionRecord, at: string): void {
      if (parent === undefined) return
      const found = selectParent.get(parent.sessionId, tenant, userId)
      if (found === undefined) throw new SessionNotFoundError(parent.sessionId)
      checkLive(found, at)
    },

    descendants(key: SessionKey): string[] {
      const owner = visibleRow(selectOwner.get(key.sessionId), key)
      if (owner === undefined) throw new SessionNotFoundError(key.sessionId)
      return selectDescendants.all({ id: key.sessionId, tenant: owner.tenant, userId: owner.user_id })
    },

    /** Whether one of these sessions has a child that is not among them. */
    hasOtherChild(ids: readonly string[], { tenant, userId }: { tenant: string; userId: string }): boolean {
      return selectOther.get({ ids: JSON.stringify(ids), tenant, userId }) !== undefined
    },
  }
}

export type ChildSessions = ReturnType<typeof childSessions>
