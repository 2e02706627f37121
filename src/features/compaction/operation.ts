import type { Commit, CommitsOptions, CompactOptions, Page } from '../../api.ts'
import { commitKind } from '../../domain/commit.ts'
import { InvalidTransitionError, SessionNotFoundError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import { DEFAULT_PAGE, LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { endTime, isFinal, isWithin, type SessionRecord } from '../../domain/record.ts'
import type { CommitLink } from '../../ports/session-store.ts'
import { tenantFor } from '../kernel/access.ts'
import { decideOnCommit } from '../kernel/decide.ts'
import { type Deps, keyOf, now } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { expireSession } from '../sessions/operation.ts'
import { digestLog, type LogDigest, summarize } from './log-digest.ts'
import { commitsQuery, compactInput } from './schema.ts'

export { digestLog, hashedLine, hashOf, type Range, summarize } from './log-digest.ts'

/** The parts of `session_compacted`; its content is the summary. */
type CommitParts = Omit<Commit, 'sessionId' | 'summary' | 'at' | 'purgedAt'>

/**
 * Makes the one canonical commit of an ended session, or returns the one it has. The log is streamed, so memory use
 * does not grow with it, and nothing is written before the one event at the end.
 */
export async function compactSession(deps: Deps, id: string, input: CompactInput = {}): Promise<Commit> {
  const { onProgress, ...rest } = input
  const { summary: given, idempotencyKey } = parse(compactInput, rest)
  const before = await loadEnded(deps, id)
  if (before.commit !== undefined) return await commitOf(deps, id)
  requireEnded(before.record)
  const digest = await digestLog(deps, before, { from: 1, to: before.record.head }, onProgress)
  const { summary, ...made } = await summaryOf(deps, before.record, digest, given)
  await decideOnCommit(
    deps,
    id,
    ({ record, commit }, last) => {
      if (commit !== undefined) return []
      const parts: CommitParts = {
        id: deps.newId(),
        ...(last !== undefined && { parent: last.id }),
        position: (last?.position ?? 0) + 1,
        kind: commitKind(record.status),
        ...(record.task !== undefined && { task: record.task }),
        ...made,
        decisions: digest.work.decisions,
        filesRead: digest.work.filesRead,
        filesWritten: digest.work.filesWritten,
        commands: digest.work.commands,
        openQuestions: digest.work.openQuestions,
        range: digest.range,
        hash: digest.hash,
      }
      return [{ type: 'session_compacted', content: summary, parts: parts as unknown as JsonObject }]
    },
    { command: ['compact', given], idempotencyKey },
  )
  return await commitOf(deps, id)
}

interface CompactInput extends CompactOptions {
  summary?: string | undefined
}

function requireEnded({ id, status: { state } }: SessionRecord): void {
  if (!isFinal(state)) throw new InvalidTransitionError({ sessionId: id, state, command: 'compact' })
}

/** The caller's summary, else one of the log; the summary of an aborted session ends with the reason. */
async function summaryOf(deps: Deps, { task, status }: SessionRecord, digest: LogDigest, given: string | undefined) {
  if (given !== undefined) return { summary: given, summarizedBy: 'caller' as const }
  const { summary, ...made } = await summarize(deps, digest, task)
  return { summary: status.state === 'aborted' ? `${summary}\nEnded early: ${status.reason}` : summary, ...made }
}

/** The commit of a session that has one. */
export async function commitOf(deps: Deps, id: string): Promise<Commit> {
  const query = { types: ['session_compacted'], order: 'desc', limit: 1 } as const
  const [stored] = await deps.store.read(keyOf(deps, id), query)
  if (stored === undefined) throw new SessionNotFoundError(id)
  const { content: summary, parts, createdAt: at } = sessionEvent(id, stored)
  return { ...(parts as unknown as CommitParts), sessionId: id, summary, at }
}

/** The commits of a conversation, oldest first. A commit of a purged session is listed without its content. */
export async function commitsOf(
  deps: Deps,
  conversationId: string,
  options: CommitsOptions = {},
): Promise<Page<Commit>> {
  const { tenant: given, limit = DEFAULT_PAGE, cursor, userId } = parse(commitsQuery, { ...options, conversationId })
  const tenant = tenantFor(deps, given)
  const user = userId ?? deps.within?.userId
  if (deps.within !== undefined && !isWithin({ tenant, userId: user ?? '' }, deps.within)) return { items: [] }
  const links = await deps.store.commits(
    defined({ tenant, conversationId, limit: limit + 1, userId: user, after: cursor }),
  )
  const items = await readCommits(links.slice(0, limit), (link) => linked(deps, link))
  const last = items.at(-1)
  return links.length > items.length && last !== undefined
    ? { items, nextCursor: `${last.position}.${last.id}` }
    : { items }
}

/** Commits read at once. */
const AT_ONCE = 4

/** Reads commits in order until they fill a page. */
export async function readCommits<T>(list: readonly T[], read: (one: T) => Promise<Commit>): Promise<Commit[]> {
  const commits: Commit[] = []
  for (let size = 0; commits.length < list.length && size < LIMITS.pageSize; ) {
    const some = await Promise.all(list.slice(commits.length, commits.length + AT_ONCE).map(read))
    commits.push(...some)
    for (const commit of some) size += JSON.stringify(commit).length
  }
  return commits
}

async function linked(deps: Deps, link: CommitLink): Promise<Commit> {
  const { id, sessionId, position, at, purgedAt = now(deps) } = link
  try {
    if (link.purgedAt === undefined) return await commitOf(deps, link.sessionId)
  } catch (error) {
    // purged at this very moment
    if (!(error instanceof SessionNotFoundError)) throw error
  }
  return {
    id,
    sessionId,
    position,
    at,
    purgedAt,
    kind: 'normal',
    summary: '',
    decisions: [],
    filesRead: [],
    filesWritten: [],
    commands: [],
    openQuestions: [],
  }
}

/** The views, after recording the end of a session that has expired. */
async function loadEnded(deps: Deps, id: string): Promise<SessionView> {
  const view = await load(deps, id)
  if (view.record.endedAt !== undefined || endTime(view.record, now(deps)) === undefined) return view
  await expireSession(deps, id)
  return await load(deps, id)
}

async function load(deps: Deps, id: string): Promise<SessionView> {
  const view = await deps.store.load(keyOf(deps, id))
  if (view === undefined) throw new SessionNotFoundError(id)
  return view
}
