import type { IndexOptions, IndexReport, RecallItem, RecallQuery, RecallResult } from '../../api.ts'
import { DEFAULT_PAGE, LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { ANALYSIS_VERSION } from '../../domain/recall/postings.ts'
import type { Principal } from '../../domain/record.ts'
import type { UserKey } from '../../ports/recall-index.ts'
import { narrowed, tenantFor, userFor } from '../kernel/access.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { tokenCounter } from '../kernel/token-count.ts'
import { extractMemories, findMemories } from '../memory/operation.ts'
import { depthFor, ifThere, indexSession, indexUser } from '../term-index/operation.ts'
import { type Hit, isIn, searchMessages, withContents } from './message-search.ts'
import { indexOptions, recallQuery } from './schema.ts'

/** Hits considered beyond the limit, in case some do not fit the budget. */
const SPARE = 100

/** Searches a user's events, commits and memories; best first. */
export async function recall(deps: Deps, input: RecallQuery): Promise<RecallResult> {
  const { query, limit = DEFAULT_PAGE, maxTokens, ...rest } = parse(recallQuery, input)
  const user = userFor(deps, rest)
  // with a budget, an item that fits may come after one that does not
  const most = Math.max(depthFor(deps, limit), maxTokens === undefined ? 0 : limit + SPARE)
  const pending = await indexUser(deps, user)
  const isSpanned = rest.since !== undefined || rest.until !== undefined
  // '~' sorts after every time
  const span = isSpanned ? { from: rest.since ?? '', until: rest.until ?? '~' } : undefined
  const kinds = new Set(rest.kinds)
  const { sourceTypes, abandoned } = rest
  const said =
    kinds.has('event') || kinds.has('commit')
      ? await searchMessages(deps, user, query, most, { kinds, span, abandoned })
      : []
  const memories = kinds.has('memory')
    ? await findMemories(deps, user, query, most, ({ createdAt, sourceType }) => {
        return (
          (span === undefined || isIn(createdAt, span)) &&
          (sourceTypes === undefined || sourceTypes.includes(sourceType))
        )
      })
    : []
  const hits: Hit[] = [...said, ...memories.map(({ score, ...memory }) => ({ score, memory }))]
  const ordered = hits.sort((a, b) => b.score - a.score || (nameOf(a) < nameOf(b) ? 1 : -1)).slice(0, most)
  const items = await ranked(deps, user, query, ordered)
  return { ...(await withinBudget(deps, items, limit, maxTokens)), ...(pending > 0 && { pending }) }
}

/** Takes each item that still fits the budget, best first. */
async function withinBudget(
  deps: Deps,
  found: readonly RecallItem[],
  limit: number,
  maxTokens = Number.POSITIVE_INFINITY,
) {
  const count = await tokenCounter(deps)
  const items: RecallItem[] = []
  let tokens = 0
  for (const item of found) {
    if (items.length === limit) break
    const cost = await count(item.content, maxTokens - tokens)
    if (tokens + cost > maxTokens) continue
    tokens += cost
    items.push(item)
  }
  return { items, tokens }
}

/**
 * The contents of the best hits, as many as a window holds, ranked by meaning as well if there is an embedder.
 */
async function ranked(deps: Deps, user: UserKey, query: string, hits: readonly Hit[]): Promise<RecallItem[]> {
  const items: RecallItem[] = []
  let size = 0
  for await (const page of withContents(deps, user, hits)) {
    items.push(...page)
    for (const { content } of page) size += content.length
    if (size >= LIMITS.windowSize) break
  }
  if (deps.fuse === undefined) return items
  const scores = await deps.fuse(query, items)
  return items.map((item, i) => ({ ...item, score: scores[i] ?? item.score })).toSorted((a, b) => b.score - a.score)
}

/** Breaks ties the same way on every store. */
function nameOf({ memory, place }: Hit): string {
  return place === undefined ? memory.id : `${place.session} ${String(place.sequence).padStart(12, '0')}`
}

/** Brings the index up to date and extracts memories from ended sessions. */
export async function indexLogs(deps: Deps, options: IndexOptions = {}): Promise<IndexReport> {
  const { userId, tenant, onProgress } = parse(indexOptions, options)
  const within = withinFor(deps, userId, tenant)
  const report: IndexReport = { sessions: 0, messages: 0 }
  for (let after = ''; ; ) {
    const query = { version: ANALYSIS_VERSION, after, limit: LIMITS.page }
    const ids = await deps.store.index.behind(defined({ ...query, within }))
    for (const id of ids) {
      const view = await deps.store.load(keyOf(deps, id))
      if (view === undefined) continue
      report.messages += (await indexSession(deps, id)).messages
      if (view.record.endedAt !== undefined) await ifThere(extractMemories(deps, id), undefined)
      report.sessions++
      onProgress?.({ ...report })
    }
    if (ids.length < LIMITS.page) return report
    after = ids.at(-1) ?? ''
  }
}

/** The sessions to index: those of the given user, else all that the caller may see. */
function withinFor(deps: Deps, userId: string | undefined, tenant: string | undefined): Principal | undefined {
  if (userId === undefined && tenant === undefined) return deps.within
  const whose = { tenant: tenantFor(deps, tenant), userId: userId ?? deps.within?.userId }
  return narrowed(deps.within, defined(whose))
}
