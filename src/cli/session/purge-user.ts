import type { PurgeReceipt, Throughline } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { hasErrorCode } from '../failure.ts'
import { listAll } from '../list-all.ts'
import { pluralize, sanitizeLine, toOneLine } from '../text.ts'
import { formatTimeAgo } from '../time-format.ts'

/** The user to purge. */
export interface Owner {
  userId: string
  tenant: string | undefined
}

/** Describes what purging a session deletes. */
export function describeSessionPurge({ id, status, head, task, userId, lastActivityAt }: SessionRecord): string {
  const about = task === undefined ? '' : ` “${toOneLine(task, 60)}”`
  const who = `${sanitizeLine(userId)}, ${status.state}, last activity ${formatTimeAgo(lastActivityAt, Date.now())}`
  return `Session ${id}${about} of ${who}: ${pluralize(head, 'event')}, and memories with no other source.`
}

/** Counts and describes what purging a user deletes. */
export async function describeUserPurge(
  tl: Throughline,
  { userId, tenant }: Owner,
): Promise<{ sessions: number; text: string }> {
  const owner = { userId, ...defined({ tenant }) }
  let [sessions, live, events, memories] = [0, 0, 0, 0]
  for await (const { endedAt, head } of listAll((page) => tl.sessions.list({ ...owner, ...page }))) {
    sessions += 1
    live += endedAt === undefined ? 1 : 0
    events += head
  }
  for await (const _ of listAll((page) => tl.memories.list({ ...owner, ...page }))) memories += 1
  const what = `${pluralize(sessions, 'session')} (${live} live) with ${pluralize(events, 'event')}`
  const whose = `user ${sanitizeLine(userId)}, tenant ${sanitizeLine(tenant ?? tl.principal?.tenant ?? 'local')}`
  return { sessions, text: `All data of ${whose}: ${what}, and ${pluralize(memories, 'memory', 'memories')}.` }
}

/**
 * Deletes all data of a user, one session at a time: shows progress, and no call runs into the timeout of a server. The
 * last call deletes memories and sessions created meanwhile.
 */
export async function purgeUser(
  tl: Throughline,
  owner: Owner,
  onSession: (done: number) => void,
): Promise<PurgeReceipt> {
  const { userId, tenant } = owner
  const receipts: PurgeReceipt[] = []
  for (;;) {
    const { items } = await tl.sessions.list({ userId, ...defined({ tenant }), limit: LIMITS.page })
    if (items.length === 0) break
    for (const { id } of items) {
      receipts.push(...(await purgeIfPresent(tl, id)))
      onSession(receipts.length)
    }
  }
  receipts.push(await tl.users.purge(userId, defined({ tenant })))
  const sum = (count: (receipt: PurgeReceipt) => number) => receipts.reduce((all, one) => all + count(one), 0)
  return {
    sessions: sum(({ sessions }) => sessions),
    events: sum(({ events }) => events),
    keys: sum(({ keys }) => keys),
    memories: sum(({ memories }) => memories),
    purgedAt: receipts.at(-1)?.purgedAt ?? '',
    ...defined({ pending: receipts.at(-1)?.pending }),
  }
}

/** Empty if another process purged the session first. */
async function purgeIfPresent({ sessions }: Throughline, id: string): Promise<PurgeReceipt[]> {
  try {
    return [await sessions.purge(id)]
  } catch (error) {
    if (hasErrorCode(error, 'SESSION_NOT_FOUND')) return []
    throw error
  }
}
