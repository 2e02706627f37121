import { SessionNotFoundError } from '../../domain/errors.ts'
import { analyzeText } from '../../domain/recall/analyze.ts'
import { ANALYSIS_VERSION } from '../../domain/recall/postings.ts'
import type { IndexMark, NewMessage, UserKey } from '../../ports/recall-index.ts'
import type { StoredEvent } from '../../ports/session-store.ts'
import type { Deps } from '../kernel/deps.ts'
import { moment } from '../kernel/parse.ts'

/** What is said, and the summary of a session. */
const READ_TYPES = ['user_message', 'model_message', 'session_compacted']
/** Messages read at once. */
const PAGE = 200
/** A summary is nobody's neighbour: so many turns lie between it and the last message. */
const APART = 16
/** What is read of a message; of one that is longer the rest is data. */
const LONGEST = 64 * 1024

/** Brings a session into the index, as far as its log reaches, or a page of it; gives how many messages came in, and whether all are in. */
export async function indexSession(deps: Deps, sessionId: string, most = Number.POSITIVE_INFINITY): Promise<Progress> {
  const { index } = deps.store
  for (let messages = 0; ; ) {
    const mark = await index.mark(sessionId)
    if (mark === undefined) return { messages, done: true }
    if (mark.version < ANALYSIS_VERSION && mark.indexed > 0) {
      await index.drop(sessionId)
      continue
    }
    if (mark.indexed >= mark.head) return { messages, done: true }
    if (messages >= most) return { messages, done: false }
    messages += await ifThere(readPage(deps, mark, Math.min(PAGE, most - messages)), 0)
  }
}

/** What a session gives, or something else if it was purged since its mark was read. */
export async function ifThere<T>(reading: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof SessionNotFoundError) return otherwise
    throw error
  }
}

export interface Progress {
  messages: number
  done: boolean
}

/** How many messages came in; none if another reader was there first. */
async function readPage(
  { store }: Deps,
  { sessionId, indexed, copied, turns, head }: IndexMark,
  limit: number,
): Promise<number> {
  const query = {
    after: Math.max(indexed, copied),
    before: head + 1,
    types: READ_TYPES,
    order: 'asc',
    limit,
  } as const
  const page = await store.read({ sessionId }, query)
  const to = page.length < limit ? head : (page.at(-1)?.sequence ?? head)
  const messages = newMessages(page, turns)
  const added = await store.index.add({ sessionId, from: indexed, to, version: ANALYSIS_VERSION, messages })
  return added ? messages.length : 0
}

function newMessages(events: readonly StoredEvent[], before: number): NewMessage[] {
  let turn = before
  return events.flatMap(({ sequence, type, role, content, agentId, occurredAt, createdAt }) => {
    if (content.trim() === '') return []
    const isCommit = type === 'session_compacted'
    turn += isCommit ? APART : 1
    return {
      turn,
      sequence,
      kind: isCommit ? 'commit' : 'event',
      speaker: agentId ?? role,
      time: timeOf(occurredAt) ?? Date.parse(createdAt),
      words: analyzeText(content.slice(0, LONGEST)),
    }
  })
}

/** When it was said, by the caller's account; what is no moment is left to the log's own time. */
function timeOf(occurredAt: string | undefined): number | undefined {
  const { success, data } = moment().safeParse(occurredAt)
  return success ? Date.parse(data) : undefined
}

/** Messages that one question brings into the index before it is answered; what is left is read in the background. */
const AT_ONCE = 20_000
/** Sessions that are looked at, newest first, where all of them were looked at not long ago. */
const NEWEST = 200
/** How long ago that may be, in milliseconds. Only a session written to by another process under an older time can be missed meanwhile. */
const NOT_LONG = 10 * 60_000

/** When all sessions of a user were looked at last, by store and user. */
const looked = new WeakMap<Deps['store'], Map<string, number>>()
/** Users of whom that is known. */
const KNOWN = 10_000

/** Sessions of which something is left to read. Where much is left of the newest, there may be more behind them. */
async function marksOf({ store }: Deps, user: UserKey, isKnown: boolean): Promise<IndexMark[]> {
  if (!isKnown) return await store.index.marks(user, ANALYSIS_VERSION)
  const newest = await store.index.marks(user, ANALYSIS_VERSION, NEWEST)
  return newest.length < NEWEST / 2 ? newest : await store.index.marks(user, ANALYSIS_VERSION)
}

/** Brings what a user said since into the index; gives how many sessions there was too much to read of. */
export async function indexUser(deps: Deps, user: UserKey): Promise<number> {
  const times = looked.get(deps.store) ?? new Map<string, number>()
  looked.set(deps.store, times)
  const key = JSON.stringify([user.tenant, user.userId])
  const isKnown = performance.now() - (times.get(key) ?? Number.NEGATIVE_INFINITY) < NOT_LONG
  let left = AT_ONCE
  let pending = 0
  for (const { sessionId } of await marksOf(deps, user, isKnown)) {
    const { messages, done } = await indexSession(deps, sessionId, left)
    left -= messages
    if (done) continue
    pending++
    deps.background.wrote(sessionId, false)
  }
  if (times.size >= KNOWN) times.clear()
  if (!isKnown && pending === 0) times.set(key, performance.now())
  return pending
}
