import type { Database } from 'better-sqlite3'
import { compareText } from '../../domain/compare-text.ts'
import type { AskingQuery, AskingSession, ClaimableSession, ClaimQuery, RenewRequest } from '../../ports/runs.ts'
import type { HeadCache } from './head-cache.ts'
import { LIMIT } from './limit.ts'
import { runPiece } from './pieces.ts'
import { type Prepared, prepared } from './statement.ts'

/** A live run needs work when its lease expires, unless the session takes none. */
const RENEW = `
  update sessions
  set lease_until = max(lease_until, @until), due_at = iif(due_at is null, null, max(lease_until, @until))
  where id = @sessionId and run_generation = @generation and lease_until > @at`

/** No row: no run is live, or its lease is unknown. */
const SELECT_LEASE = `
  select run_generation as generation, lease_until as leaseUntil
  from sessions
  where id = ? and run_generation is not null and lease_until is not null`

/** No row: no session needs work. */
export const SELECT_ANY_DUE = `
  select 1
  from sessions indexed by sessions_due_at
  where due_at <= @at
  limit 1`

export const SELECT_NEXT_TENANT = `
  select tenant
  from sessions indexed by sessions_claimable
  where due_at is not null and tenant > @tenant
  order by tenant
  limit 1`

export const SELECT_NEXT_CHATMODE = `
  select chatmode
  from sessions indexed by sessions_claimable
  where due_at is not null and tenant = @tenant and chatmode > @chatmode
  order by chatmode
  limit 1`

/**
 * The statement for the sessions of a tenant and chatmode, or of a user; agents are a JSON array. A user has few live
 * sessions, so those are read and sorted.
 */
export function claimableSql({ agents, within, chatmode }: Pick<ClaimQuery, 'agents' | 'within' | 'chatmode'>): string {
  const ofUser = within?.userId !== undefined
  const conditions = [
    'tenant = @tenant',
    ...(ofUser ? ['user_id = @userId', 'ended_at is null'] : []),
    ...(ofUser && chatmode === undefined ? [] : ['chatmode = @chatmode']),
    'due_at <= @at',
    '(expires_at is null or expires_at > @at)',
    ...(agents !== undefined ? ['active_agent in (select value from json_each(@agents))'] : []),
  ]
  return `
    select id as sessionId, tenant, due_at as dueAt
    from sessions indexed by ${ofUser ? 'sessions_one_active' : 'sessions_claimable'}
    where ${conditions.join(' and ')}
    order by due_at, id
    ${LIMIT}`
}

/** The statement for sessions with requests. */
export function askingSql({ userId, status, cursor }: Pick<AskingQuery, 'userId' | 'status' | 'cursor'>): string {
  const index = `sessions_${status === 'open' ? 'asking' : 'asked'}${userId === undefined ? '' : '_user'}`
  const conditions = [
    'tenant = @tenant',
    ...(userId !== undefined ? ['user_id = @userId'] : []),
    status === 'open' ? 'requests is not null' : 'requests_at is not null',
    ...(cursor !== undefined ? ['(requests_at, id) < (@requestsAt, @id)'] : []),
  ]
  return `
    select id as sessionId, requests_at as requestsAt
    from sessions indexed by ${index}
    where ${conditions.join(' and ')}
    order by requests_at desc, id desc
    ${LIMIT}`
}

/** Writes to the leases of runs, each inside an open transaction. */
export function leaseWriter(db: Database, heads: HeadCache) {
  const renew = prepared(db, RENEW)
  const selectLease = prepared<[string], { generation: number; leaseUntil: string }>(db, SELECT_LEASE)

  return {
    renew({ generation, at, until, ...key }: RenewRequest): boolean {
      const { id: sessionId } = heads.load(key)
      return renew.run({ sessionId, generation, at, until }).changes === 1
    },

    /** The lease of the live run; empty if there is none. */
    stored(sessionId: string): { generation?: number; leaseUntil?: string } {
      return selectLease.get(sessionId) ?? {}
    },
  }
}

export type LeaseWriter = ReturnType<typeof leaseWriter>

/** How far a search for claimable sessions has come. */
interface Turn {
  /** The last tenant that was asked. */
  tenant: string
  /** The search has passed the last tenant, and started with the first again. */
  isSecondRound: boolean
  /** Tenants that may still be returned. */
  tenants: number
}

/** The next sessions of a search, and where it goes on if there are more. */
interface ClaimablePiece {
  readonly found: readonly ClaimableSession[]
  readonly next?: Turn
}

/** Searches piece by piece: there may be many tenants whose sessions are all at work. */
export async function collectClaimable(
  read: (from: Turn | undefined) => Promise<ClaimablePiece>,
): Promise<ClaimableSession[]> {
  const found: ClaimableSession[] = []
  for (let from: Turn | undefined; ; ) {
    const piece = await read(from)
    found.push(...piece.found)
    if (piece.next === undefined) return found
    from = piece.next
  }
}

/** Reads of sessions that need work, or ask for something. */
export function runReader(db: Database, pieceMs: number) {
  const selectAnyDue = prepared<[object], 1>(db, SELECT_ANY_DUE).pluck()
  const selectNextTenant = prepared<[object], string>(db, SELECT_NEXT_TENANT).pluck()
  const selectNextChatmode = prepared<[object], string>(db, SELECT_NEXT_CHATMODE).pluck()
  const statements = new Map<string, Prepared<[object], unknown>>()

  function statement<Row>(sql: string): Prepared<[object], Row> {
    const found = statements.get(sql) ?? prepared<[object], unknown>(db, sql)
    statements.set(sql, found)
    return found as Prepared<[object], Row>
  }

  /** Moves on to the next tenant; false after the last one. */
  function moveOn(turn: Turn, after: string): boolean {
    const next = selectNextTenant.get({ tenant: turn.tenant })
    if (next !== undefined && !(turn.isSecondRound && compareText(next, after) > 0)) {
      turn.tenant = next
      return true
    }
    if (turn.isSecondRound || after === '') return false
    Object.assign(turn, { tenant: '', isSecondRound: true })
    return moveOn(turn, after)
  }

  function claimableOf(tenant: string, query: ClaimQuery): ClaimableSession[] {
    const { at, within, agents, limit } = query
    const select = statement<ClaimableSession>(claimableSql(query))
    const values = {
      ...{ tenant, at, limit },
      ...(within?.userId !== undefined && { userId: within.userId }),
      ...(agents !== undefined && { agents: JSON.stringify(agents) }),
    }
    const { chatmode } = query
    if (chatmode !== undefined) return select.all({ ...values, chatmode })
    if (within?.userId !== undefined) return select.all(values)
    let found: ClaimableSession[] = []
    for (let next = nextChatmode(tenant, ''); next !== undefined; next = nextChatmode(tenant, next)) {
      found = firstDue([...found, ...select.all({ ...values, chatmode: next })], limit)
    }
    return found
  }

  function nextChatmode(tenant: string, chatmode: string): string | undefined {
    return selectNextChatmode.get({ tenant, chatmode })
  }

  return {
    /** Reads the next piece of a search. */
    claimable(query: ClaimQuery, from?: Turn): ClaimablePiece {
      const { at, within, after = '', tenants } = query
      if (within !== undefined) return { found: claimableOf(within.tenant, query) }
      if (selectAnyDue.get({ at }) === undefined) return { found: [] }
      const found: ClaimableSession[] = []
      const turn = { ...(from ?? { tenant: after, isSecondRound: false, tenants }) }
      const isDone = runPiece(() => {
        if (!moveOn(turn, after)) return false
        const group = claimableOf(turn.tenant, query)
        found.push(...group)
        if (group.length > 0) turn.tenants--
        return turn.tenants > 0
      }, pieceMs)
      return isDone ? { found } : { found, next: turn }
    },

    asking(query: AskingQuery): AskingSession[] {
      const { status: _status, cursor, ...values } = query
      return statement<AskingSession>(askingSql(query)).all({ ...values, ...cursor })
    },
  }
}

/** The longest waiting of these sessions. */
function firstDue(sessions: ClaimableSession[], limit: number): ClaimableSession[] {
  const order = (a: ClaimableSession, b: ClaimableSession) =>
    compareText(a.dueAt, b.dueAt) || compareText(a.sessionId, b.sessionId)
  return sessions.sort(order).slice(0, limit)
}
