import type { AskingQuery, AskingSession, ClaimableSession, ClaimQuery, RenewRequest } from '../../ports/runs.ts'
import type { Connections, Statement } from './connection.ts'
import { byText, mergeSorted, type Partitions } from './partitions.ts'
import { MAX_INT, ownerOf } from './rows.ts'
import type { SessionLocator } from './session-locator.ts'
import { requireSession } from './sessions.ts'

const RENEW: Statement = {
  name: 'renew',
  text: 'select context.renew_lease($1, $2, $3, $4, $5, $6, $7) as renewed',
}

const CLAIMABLE: Statement = {
  name: 'claimable',
  text: `
    select id as "sessionId", tenant, due_at as "dueAt"
    from context.claimable_sessions($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
}

const ASKING: Statement = {
  name: 'asking',
  text: `select id as "sessionId", requests_at as "requestsAt" from context.list_asking($1, $2, $3, $4, $5, $6, $7)`,
}

/** Leases of runs, and lists of the sessions that wait: for a worker, or for a person. */
export function runCalls({ query }: Connections, locator: SessionLocator, partitions: Partitions) {
  return {
    /** Sent again after a lost connection: a repeat finds the lease as the first one left it. */
    async renew({ generation, at, until, ...key }: RenewRequest): Promise<boolean> {
      const values = [key.sessionId, ...ownerOf(key), Math.min(generation, MAX_INT), at, until]
      const [row] = await locator.at(key, (partition) =>
        requireSession(key, query<{ renewed: boolean }>(RENEW, [partition, ...values], { retry: true })),
      )
      return row?.renewed === true
    },

    async claimable(request: ClaimQuery): Promise<ClaimableSession[]> {
      const { at, within, chatmode, agents, after = '', tenants, limit } = request
      const values = [...ownerOf({ within }), at, chatmode ?? null, agents ?? null, after, tenants, limit]
      const pages = await partitions.ofUser(within, (partition) =>
        query<ClaimableSession>(CLAIMABLE, [partition, ...values], { retry: true }),
      )
      const [only] = pages
      return pages.length === 1 && only !== undefined ? only : inTurn(pages.flat(), request)
    },

    async asking({ tenant, userId, status, cursor, limit }: AskingQuery): Promise<AskingSession[]> {
      const values = [tenant, userId ?? null, status === 'open', cursor?.requestsAt ?? null, cursor?.id ?? null, limit]
      const pages = await partitions.ofUser({ tenant, userId }, (partition) =>
        query<AskingSession>(ASKING, [partition, ...values], { retry: true }),
      )
      return mergeSorted(pages, limit, byNewestRequest)
    },
  }
}

/** Of the sessions that several nodes found those of the tenants whose turn it is, the longest waiting first. */
function inTurn(found: readonly ClaimableSession[], { after = '', tenants, limit }: ClaimQuery): ClaimableSession[] {
  const byTenant = new Map<string, ClaimableSession[]>()
  for (const session of found) {
    const group = byTenant.get(session.tenant)
    if (group === undefined) byTenant.set(session.tenant, [session])
    else group.push(session)
  }
  const isBefore = (tenant: string) => Number(tenant <= after)
  const groups = Array.from(byTenant).sort(([a], [b]) => isBefore(a) - isBefore(b) || byText(a, b))
  return groups.slice(0, tenants).flatMap(([, group]) => group.sort(byLongestWaiting).slice(0, limit))
}

function byLongestWaiting(a: ClaimableSession, b: ClaimableSession): number {
  return byText(a.dueAt, b.dueAt) || byText(a.sessionId, b.sessionId)
}

function byNewestRequest(a: AskingSession, b: AskingSession): number {
  return byText(b.requestsAt, a.requestsAt) || byText(b.sessionId, a.sessionId)
}
