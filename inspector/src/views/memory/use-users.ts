import { get } from '../../api/client.ts'
import { loadServerInfo, useServerInfo } from '../../api/server-info.ts'
import { token } from '../../api/token.ts'
import type { Page, SessionRecord } from '../../api/types.ts'
import { useRequest } from '../../parts/use-request.ts'

/** Recent sessions to collect users from. */
const SESSIONS_READ = 200

/** The users to choose from. */
export interface Users {
  /** The user of the token. */
  readonly own: string | undefined
  /** Whether the caller sees every tenant and has to choose one. */
  readonly seesAllTenants: boolean
  /** Users of the tenant's recent sessions, latest first; `undefined` while loading. */
  readonly users: readonly string[] | undefined
}

/** The user of the token, or the users with recent sessions in the tenant (default: the caller's). */
export function useUsers(tenant: string | undefined) {
  const about = useServerInfo()
  const { value, problem, reload } = useRequest(
    async (signal) => {
      const { principal } = await loadServerInfo()
      if (principal?.userId !== undefined) return { tenant, users: [principal.userId] }
      const { items } = await get<Page<SessionRecord>>('/sessions', { limit: SESSIONS_READ, tenant }, signal)
      return { tenant, users: [...new Set(items.map(({ userId }) => userId))] }
    },
    [token.value, tenant],
  )
  const users: Users = {
    own: about?.principal?.userId,
    seesAllTenants: about !== undefined && about.principal === undefined,
    users: value !== undefined && value.tenant === tenant ? value.users : undefined,
  }
  return { users, problem, reload }
}
