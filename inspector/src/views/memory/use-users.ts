import { get } from '../../api/client.ts'
import { token } from '../../api/token.ts'
import type { Page, SessionRecord } from '../../api/types.ts'
import { useAnswer } from '../../parts/use-answer.ts'

/** Sessions that are looked at for names of users. */
const SEEN = 200

/** Who may be asked for. */
export interface Users {
  /** The one whom the token stands for. */
  readonly own: string | undefined
  /** Whether the caller sees every tenant, and has to say which. */
  readonly seesAllTenants: boolean
  /** Users of the last sessions, the latest first. */
  readonly users: readonly string[]
  readonly tenants: readonly string[]
}

interface About {
  readonly principal?: { readonly tenant: string; readonly userId?: string }
}

/** Names to choose from: whose token it is, and who had a session of late. */
export function useUsers() {
  return useAnswer(
    async (signal): Promise<Users> => {
      const { principal } = await get<About>('', {}, signal)
      const { items } = await get<Page<SessionRecord>>('/sessions', { limit: SEEN }, signal)
      return {
        own: principal?.userId,
        seesAllTenants: principal === undefined,
        users: [...new Set(items.map(({ userId }) => userId))],
        tenants: [...new Set(items.map(({ tenant }) => tenant))],
      }
    },
    [token.value],
  )
}
