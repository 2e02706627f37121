import { get } from '../../api/client.ts'
import { loadServerInfo, useServerInfo } from '../../api/server-info.ts'
import { token } from '../../api/token.ts'
import type { Page, SessionRecord } from '../../api/types.ts'
import { useRequest } from '../../parts/use-request.ts'

/** Sessions that are looked at for names of users. */
const SESSIONS_READ = 200

/** Who may be asked for. */
export interface Users {
  /** The one whom the token stands for. */
  readonly own: string | undefined
  /** Whether the caller sees every tenant, and has to say which. */
  readonly seesAllTenants: boolean
  /** Users of the last sessions of the tenant, the latest first; `undefined` until they are known. */
  readonly users: readonly string[] | undefined
}

/** Names to choose from: whose token it is, or who had a session of late in this tenant; without one, in the caller's own. */
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
