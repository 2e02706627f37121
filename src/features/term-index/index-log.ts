import { SessionNotFoundError } from '../../domain/errors.ts'
import { isLastPage } from '../../domain/event-size.ts'
import { groupBySize } from '../../domain/pieces.ts'
import type { TextAnalysis } from '../../domain/recall/analyze.ts'
import { MAX_INDEXED } from '../../domain/recall/analyze-texts.ts'
import { ANALYSIS_VERSION } from '../../domain/recall/postings.ts'
import type { Compute } from '../../ports/compute.ts'
import type { IndexMark, NewMessage, UserKey } from '../../ports/recall-index.ts'
import type { StoredEvent } from '../../ports/session-store.ts'
import type { Deps } from '../kernel/deps.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { moment } from '../kernel/parse.ts'

/** Event types that are indexed: messages and session summaries. */
const READ_TYPES = ['user_message', 'model_message', 'session_compacted']
/** Messages per read. */
const PAGE = 200
/** Turns counted between the last message and a summary, so that a summary is no neighbour of a message. */
const APART = 16
/** Characters analyzed at a time. */
const MAX_ANALYZED = 128 * 1024
/** Distinct terms written at a time, which takes SQLite 10 to 20 ms. */
const MAX_TERMS = 2000

export interface IndexLimits {
  /** Messages to index. @default all */
  most?: number
  /** Called after each write. @default lets other work of the event loop run */
  pause?: () => Promise<void>
}

/** Indexes a session up to its head, or `most` messages of it; returns how many, and whether it is done. */
export async function indexSession(
  deps: Deps,
  sessionId: string,
  { most = Number.POSITIVE_INFINITY, pause = nextTurn }: IndexLimits = {},
): Promise<Progress> {
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
    messages += await ifThere(readPage(deps, mark, Math.min(PAGE, most - messages), pause), 0)
  }
}

/** The result of the work, or `otherwise` if the session was purged meanwhile. */
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

/** Indexes one page; returns how many messages, fewer if another process was faster. */
async function readPage(
  { store, compute }: Deps,
  { sessionId, indexed, copied, turns, head }: IndexMark,
  limit: number,
  pause: () => Promise<void>,
): Promise<number> {
  const query = {
    after: Math.max(indexed, copied),
    before: head + 1,
    types: READ_TYPES,
    order: 'asc',
    limit,
  } as const
  const page = await store.read({ sessionId }, query)
  const to = isLastPage(page, limit) ? head : (page.at(-1)?.sequence ?? head)
  const messages = await newMessages(compute, page, turns)
  let from = indexed
  let added = 0
  for (const group of messages.length === 0
    ? [[]]
    : groupBySize(messages, MAX_TERMS, ({ words }) => words.places.size)) {
    const isLast = added + group.length === messages.length
    const end = isLast ? to : (group.at(-1)?.sequence ?? to)
    const request = { sessionId, from, to: end, version: ANALYSIS_VERSION, messages: group }
    if (!(await store.index.add(request))) break
    added += group.length
    from = end
    await pause()
  }
  return added
}

async function newMessages(compute: Compute, events: readonly StoredEvent[], before: number): Promise<NewMessage[]> {
  const said = events.filter(({ content }) => content.trim() !== '')
  const texts = said.map(({ content }) => content.slice(0, MAX_INDEXED))
  const words: TextAnalysis[] = []
  for (const group of groupBySize(texts, MAX_ANALYZED, ({ length }) => length)) {
    words.push(...(await compute.analyzeTexts(group)))
  }
  let turn = before
  return said.map(({ sequence, type, role, agentId, occurredAt, createdAt }, i) => {
    const isCommit = type === 'session_compacted'
    turn += isCommit ? APART : 1
    return {
      turn,
      sequence,
      kind: isCommit ? 'commit' : 'event',
      speaker: agentId ?? role,
      time: timeOf(occurredAt) ?? Date.parse(createdAt),
      words: words[i] as TextAnalysis,
    }
  })
}

/** The caller's time of the event, if it is a valid time; else the log's own time. */
function timeOf(occurredAt: string | undefined): number | undefined {
  const { success, data } = moment().safeParse(occurredAt)
  return success ? Date.parse(data) : undefined
}

/** Messages that one recall indexes before it responds; the rest is indexed in the background. */
const AT_ONCE = 20_000
/** Newest sessions to check if all of them were checked recently. */
const NEWEST = 200
/**
 * What counts as recently, in milliseconds. Only a session that another process wrote to with an older time can be
 * missed.
 */
const NOT_LONG = 10 * 60_000

/** When all sessions of a user were last checked, by store and user. */
const looked = new WeakMap<Deps['store'], Map<string, number>>()
/** Users kept in that cache. */
const KNOWN = 10_000

/** Sessions with unindexed events. If the newest have many, older ones may have some too. */
async function marksOf({ store }: Deps, user: UserKey, isKnown: boolean): Promise<IndexMark[]> {
  if (!isKnown) return await store.index.marks(user, ANALYSIS_VERSION)
  const newest = await store.index.marks(user, ANALYSIS_VERSION, NEWEST)
  return newest.length < NEWEST / 2 ? newest : await store.index.marks(user, ANALYSIS_VERSION)
}

/** Indexes what a user's sessions gained since; returns how many sessions had too much to index now. */
export async function indexUser(deps: Deps, user: UserKey): Promise<number> {
  const times = looked.get(deps.store) ?? new Map<string, number>()
  looked.set(deps.store, times)
  const key = JSON.stringify([user.tenant, user.userId])
  const isKnown = performance.now() - (times.get(key) ?? Number.NEGATIVE_INFINITY) < NOT_LONG
  let left = AT_ONCE
  let pending = 0
  for (const { sessionId } of await marksOf(deps, user, isKnown)) {
    const { messages, done } = await indexSession(deps, sessionId, { most: left })
    left -= messages
    if (done) continue
    pending++
    deps.background.wrote(sessionId, false)
  }
  if (times.size >= KNOWN) times.clear()
  if (!isKnown && pending === 0) times.set(key, performance.now())
  return pending
}
