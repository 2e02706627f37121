import { hash } from 'node:crypto'
import type { Database } from 'better-sqlite3'
import type { SessionView } from '../../domain/fold.ts'
import type { Scope } from '../../domain/record.ts'
import type { CommitLink, CommitsQuery } from '../../ports/session-store.ts'
import { LIMIT } from './limit.ts'
import { BLOCK, type LinkRow, linkOf } from './rows.ts'
import { prepared } from './statement.ts'

const INSERT_LINK = `
  insert into conversation_commits (chain, position, tenant, conversation_id, commit_id, session_id, user_id, made_at)
  values (@chain, @position, @tenant, @conversationId, @id, @sessionId, @userId, @at)`

/** Keeps the mark of an earlier purged session with the same id. */
export const MARK_PURGED = `
  update conversation_commits
  set purged_at = @at, user_id = ''
  where session_id = @sessionId and purged_at is null`

/** Restores a link that a purge left; any other existing link stays. */
const RESTORE_LINK = `
  ${INSERT_LINK}
  on conflict do update
  set user_id = excluded.user_id, made_at = excluded.made_at, purged_at = null
  where purged_at is not null`

/** Time of the last commit of the session. */
export const SELECT_COMMIT_TIME = `
  select e.created_at
  from session_types t
  join session_events e on e.session_id = t.session_id and e.sequence between t.block * ${BLOCK} and t.block * ${BLOCK} + ${BLOCK - 1}
  where t.session_id = @sessionId and t.type = 'session_compacted' and e.type = t.type
  order by t.block desc, e.sequence desc
  limit 1`

const LINK = 'select commit_id, session_id, user_id, position, made_at, purged_at from conversation_commits'

export const SELECT_LAST = `
  ${LINK}
  where chain = @chain
  order by position desc
  limit 1`

const SELECT_AT = `
  ${LINK}
  where chain = @chain and position = @position`

/** The links of a user. */
export const SELECT_LINKS = `
  ${LINK}
  where chain = @chain and (position, commit_id) > (@position, @id) and user_id = @userId
  order by position
  ${LIMIT}`

/** The links of all users in a conversation. */
export const SELECT_ALL_LINKS = `
  ${LINK}
  where tenant = @tenant and conversation_id = @conversationId and (position, commit_id) > (@position, @id)
  order by position, commit_id
  ${LIMIT}`

/** Identifies the chain of a user in a conversation without naming the user. */
function chainOf({ tenant, userId, conversationId }: Omit<Scope, 'chatmode'>): string {
  return hash('md5', JSON.stringify([tenant, userId, conversationId]), 'hex')
}

/** Writes to the commit chains, each inside an open transaction. */
export function commitWriter(db: Database) {
  const insertLink = prepared(db, INSERT_LINK)
  const linkIfFree = prepared(db, `${INSERT_LINK} on conflict do nothing`)
  const selectLast = prepared<[object], LinkRow>(db, SELECT_LAST)
  const selectAt = prepared<[object], LinkRow>(db, SELECT_AT)
  const restoreLink = prepared(db, RESTORE_LINK)
  const selectCommitTime = prepared<[object], string>(db, SELECT_COMMIT_TIME).pluck()
  const markPurged = prepared(db, MARK_PURGED)

  return {
    /** Last commit of the session's chain. */
    lastCommit({ record }: SessionView): CommitLink | undefined {
      const row = selectLast.get({ chain: chainOf(record) })
      return row && linkOf(row)
    },

    /** Adds the session's commit to the chain. Fails if its position is taken. */
    link({ record, commit }: SessionView, at: string): void {
      const { tenant, conversationId, id: sessionId, userId } = record
      insertLink.run({ chain: chainOf(record), tenant, conversationId, sessionId, userId, at, ...commit })
    },

    /** Like `link`, but does nothing if the position is taken. */
    linkIfFree({ record, commit }: SessionView): void {
      const { tenant, conversationId, id: sessionId, userId, lastActivityAt: at } = record
      linkIfFree.run({ chain: chainOf(record), tenant, conversationId, sessionId, userId, at, ...commit })
    },

    /** The link at the position of the session's commit. */
    linkAt({ record, commit }: SessionView): CommitLink | undefined {
      const row = commit && selectAt.get({ chain: chainOf(record), position: commit.position })
      return row && linkOf(row)
    },

    /** Like `link`, for an imported session; restores the link that a purge left of the same commit. */
    restoreLink({ record, commit }: SessionView): void {
      if (commit === undefined) return
      const { tenant, conversationId, id: sessionId, userId, lastActivityAt } = record
      const at = selectCommitTime.get({ sessionId }) ?? lastActivityAt
      restoreLink.run({ chain: chainOf(record), tenant, conversationId, sessionId, userId, at, ...commit })
    },

    /** Marks the links of a session that is being purged. */
    markPurged(sessionId: string, at: string): void {
      markPurged.run({ sessionId, at })
    },
  }
}

/** One page of a chain, or of all chains of a conversation. */
export function commitReader(db: Database) {
  const selectLinks = prepared<[object], LinkRow>(db, SELECT_LINKS)
  const selectAllLinks = prepared<[object], LinkRow>(db, SELECT_ALL_LINKS)

  return {
    commits({ tenant, conversationId, userId, after, limit }: CommitsQuery): CommitLink[] {
      const { position, id } = after ?? { position: 0, id: '' }
      const rows =
        userId === undefined
          ? selectAllLinks.all({ tenant, conversationId, position, id, limit })
          : selectLinks.all({ chain: chainOf({ tenant, userId, conversationId }), userId, position, id, limit })
      return rows.map(linkOf)
    },
  }
}
