import { SessionNotFoundError, ValidationError } from '../../domain/errors.ts'
import { LIMITS } from '../../domain/limits.ts'
import { isEndOfList } from '../../domain/list-size.ts'
import type { SessionRecord } from '../../domain/record.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import type { ListQuery } from '../../ports/session-store.ts'
import type { Deps } from '../kernel/deps.ts'

/** The link of a call. */
interface GivenParent {
  sessionId: string
  sequence?: number | undefined
}

/** Checks that the owner has the parent and that it has the event. The store checks again that it is live. */
export async function requireParent({ store }: Deps, owner: UserKey, parent: GivenParent): Promise<void> {
  const { sessionId, sequence } = parent
  const found = await store.record({ sessionId, within: { tenant: owner.tenant, userId: owner.userId } })
  if (found === undefined) throw new SessionNotFoundError(sessionId)
  if (sequence === undefined || sequence <= found.head) return
  throw new ValidationError('parent.sequence', `must be an event of the parent, from 1 to ${found.head}`)
}

/** All children of a session, newest activity first. */
export async function* childrenOf({ store }: Deps, parent: SessionRecord): AsyncGenerator<SessionRecord> {
  const { tenant, userId, id } = parent
  const query: ListQuery = { tenant, userId, parent: id, limit: LIMITS.page }
  for (let page = await store.list(query); ; ) {
    yield* page
    const last = page.at(-1)
    if (last === undefined || isEndOfList(page, LIMITS.page)) return
    page = await store.list({ ...query, cursor: { lastActivityAt: last.lastActivityAt, id: last.id } })
  }
}
