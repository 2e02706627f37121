import type { Page, PurgeReceipt, Throughline } from '../../api.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { SessionRecord } from '../../domain/record.ts'
import { given } from '../option-schemas.ts'
import { pluralize, sanitizeLine, toOneLine } from '../text.ts'
import { formatTimeAgo } from '../time-format.ts'

/** Whose sessions are to go. */
export interface Owner {
  userId: string
  tenant: string | undefined
}

/** What will go with a session, for people. */
export function describeSessionPurge({ id, status, head, task, userId, lastActivityAt }: SessionRecord): string {
  const about = task === undefined ? '' : ` “${toOneLine(task, 60)}”`
  const who = `${sanitizeLine(userId)}, ${status.state}, last activity ${formatTimeAgo(lastActivityAt, Date.now())}`
  return `Session ${id}${about} of ${who}: ${pluralize(head, 'event')}, and the memories that only it supports.`
}

/** What will go with a user: how many sessions, and all of it for people. */
export async function describeUserPurge(
  tl: Throughline,
  { userId, tenant }: Owner,
): Promise<{ sessions: number; text: string }> {
  const owner = { userId, ...given({ tenant }), limit: LIMITS.page }
  let [sessions, live, events, memories] = [0, 0, 0, 0]
  await eachPage(
    (cursor) => tl.sessions.list({ ...owner, ...cursor }),
    (items) => {
      sessions += items.length
      live += items.filter(({ endedAt }) => endedAt === undefined).length
      events += items.reduce((sum, { head }) => sum + head, 0)
    },
  )
  await eachPage(
    (cursor) => tl.memories.list({ ...owner, ...cursor }),
    (items) => {
      memories += items.length
    },
  )
  const what = `${pluralize(sessions, 'session')} (${live} live) with ${pluralize(events, 'event')}`
  const whose = `user ${sanitizeLine(userId)}, tenant ${sanitizeLine(tenant ?? tl.principal?.tenant ?? 'local')}`
  return { sessions, text: `All of ${whose}: ${what}, and ${pluralize(memories, 'memory', 'memories')}.` }
}

async function eachPage<T>(
  read: (cursor: { cursor?: string }) => Promise<Page<T>>,
  look: (items: readonly T[]) => void,
): Promise<void> {
  for (let cursor: string | undefined; ; ) {
    const { items, nextCursor } = await read(given({ cursor }))
    look(items)
    if (nextCursor === undefined) return
    cursor = nextCursor
  }
}

/**
 * Removes all of a user, a session at a time, so that one can see how far it is and no call takes long: a server would not answer a long one
 * in time. What is left then, such as memories and what was begun meanwhile, goes with the user.
 */
export async function purgeUser(
  tl: Throughline,
  owner: Owner,
  onSession: (done: number) => void,
): Promise<PurgeReceipt> {
  const { userId, tenant } = owner
  const receipts: PurgeReceipt[] = []
  for (;;) {
    const { items } = await tl.sessions.list({ userId, ...given({ tenant }), limit: LIMITS.page })
    if (items.length === 0) break
    for (const { id } of items) {
      receipts.push(...(await purgeIfPresent(tl, id)))
      onSession(receipts.length)
    }
  }
  receipts.push(await tl.users.purge(userId, given({ tenant })))
  const sum = (count: (receipt: PurgeReceipt) => number) => receipts.reduce((all, one) => all + count(one), 0)
  return {
    sessions: sum(({ sessions }) => sessions),
    events: sum(({ events }) => events),
    keys: sum(({ keys }) => keys),
    memories: sum(({ memories }) => memories),
    purgedAt: receipts.at(-1)?.purgedAt ?? '',
  }
}

/** Nothing, if someone else purged it since it was listed. */
async function purgeIfPresent({ sessions }: Throughline, id: string): Promise<PurgeReceipt[]> {
  try {
    return [await sessions.purge(id)]
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'SESSION_NOT_FOUND') return []
    throw error
  }
}
