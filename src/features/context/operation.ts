import type { ContextOptions, ContextResult, Reduced, ReduceOptions } from '../../api.ts'
import { type ContextItem, type ContextSections, fitContext } from '../../domain/context/context.ts'
import { SessionNotFoundError } from '../../domain/errors.ts'
import { TURN_TYPES } from '../../domain/event.ts'
import type { SessionView } from '../../domain/fold.ts'
import { FORMATS, type FormatOutput, type MessageFormat, withLateSystem } from '../../domain/formats/formats.ts'
import { cloneJson, type JsonObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Message } from '../../domain/message.ts'
import { defined } from '../../domain/optional.ts'
import { isFinal, type SessionRecord } from '../../domain/record.ts'
import { isSameLine } from '../../domain/rewind.ts'
import { truncateMessages } from '../../domain/truncate.ts'
import type { CommitLink } from '../../ports/session-store.ts'
import { commitOf, digestLog, type Range, readCommits, summarize } from '../compaction/operation.ts'
import { type Draft, decideOn } from '../kernel/decide.ts'
import { type Deps, keyOf } from '../kernel/deps.ts'
import { parse } from '../kernel/parse.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { eventCounter, tokenCounter } from '../kernel/token-count.ts'
import { readEvents, recentEvents } from '../log/operation.ts'
import { readMessages } from '../messages/operation.ts'
import { childrenOf } from '../sessions/operation.ts'
import { logHistory } from './history-source.ts'
import { logRecall, recallFor, toldOf } from './recalled.ts'
import { contextOptions, reduceOptions } from './schema.ts'

/** Earlier sessions of the conversation whose summaries are included. */
const EARLIER = 20
/** Sub-agents whose summaries are included. */
const CHILDREN = 10
/** Turns that stay verbatim when the rest is summarised. */
const KEPT_TURNS = 10
/** Share of the budget above which older turns are summarised. */
const FULL = 0.8

/** The model's input within a token budget: the task, earlier summaries, the history, and what is known now. */
export async function buildContext(
  deps: Deps,
  id: string,
  options: ContextOptions & { format?: MessageFormat },
): Promise<ContextResult<Message[] | FormatOutput[MessageFormat]>> {
  const { maxTokens, format, recall, children, record } = parse(contextOptions, options)
  const count = await tokenCounter(deps)
  const view = await load(deps, id)
  const reduction = await lastReduction(deps, id, view)
  const floor = Math.max(view.clearedAt, reduction?.range.to ?? 0)
  const history = logHistory(deps, view, floor)
  const { task } = view.record
  const earlier = await earlierSummaries(deps, view)
  const sections: ContextSections = {
    ...(task !== undefined && { task }),
    earlier,
    ...(children && { children: await childSummaries(deps, view) }),
    ...(reduction !== undefined && { reduced: { id: reduction.id, text: reduction.summary } }),
    scratchpad: view.state.scratchpad,
  }
  const build = (memories: readonly ContextItem[]) =>
    fitContext({ sections: { ...sections, memories }, history, maxTokens, floor }, count, deps.tokenCounts)
  let context = await build([])
  const recalled = recall && (await recallFor(deps, view, { ...context, earlier }, recall))
  if (recalled) context = await build(recalled.items.map(toldOf))
  history.remember()
  const inside = recalled && { ...recalled, items: recalled.items.filter(({ id }) => context.memories.has(id)) }
  if (inside && record) await logRecall(deps, view, inside)
  const { tokens, sections: shares, omitted, dangling } = context
  const messages = context.messages.map(withOwnParts)
  return {
    messages: format === undefined ? messages : FORMATS[format].to(withLateSystem(messages, format)),
    tokens,
    sections: shares,
    omitted,
    dangling,
    ...(inside && { recalled: inside.items }),
  }
}

/** Summaries of the sessions that were committed before this one. */
async function earlierSummaries(deps: Deps, { record, commit }: SessionView) {
  const { tenant, conversationId, userId, id } = record
  const isEarlier = (link: CommitLink) =>
    link.purgedAt === undefined &&
    link.sessionId !== id &&
    link.position < (commit?.position ?? Number.POSITIVE_INFINITY)
  const ids: string[] = []
  for (let after: CommitLink | undefined; ; ) {
    const query = { tenant, conversationId, userId, limit: LIMITS.page }
    const links = await deps.store.commits(defined({ ...query, after }))
    ids.push(...links.filter(isEarlier).map((link) => link.sessionId))
    if (links.length < LIMITS.page) break
    after = links.at(-1)
  }
  if (ids.length === 0) return []
  // sub-agents may share the conversation of their parent
  const below = new Set(await deps.store.descendants(keyOf(deps, id)))
  const others = ids.filter((sessionId) => !below.has(sessionId))
  // the newest first, since together they may be too large
  const commits = await readCommits(others.slice(-EARLIER).reverse(), (sessionId) => commitOf(deps, sessionId))
  return commits.reverse().map((commit) => ({ id: commit.id, text: commit.summary }))
}

/** Summaries of the last sub-agents that have a commit, oldest first. */
async function childSummaries(deps: Deps, { record }: SessionView): Promise<ContextItem[]> {
  const ended: SessionRecord[] = []
  for await (const child of childrenOf(deps, record)) {
    if (isFinal(child.status.state)) ended.push(child)
    if (ended.length === CHILDREN) break
  }
  const summaries: ContextItem[] = []
  for (const child of ended) {
    const [commit] = await readEvents(deps, child.id, { types: ['session_compacted'], order: 'desc', limit: 1 })
    if (commit !== undefined) summaries.unshift({ id: commit.id, text: `${child.task ?? child.id}: ${commit.content}` })
  }
  return summaries
}

interface Reduction {
  /** Id of its event. */
  id: string
  summary: string
  range: Range
  hash: string
}

/** The latest summary of the session's own past that no clear and no rewind has hidden. */
async function lastReduction(
  deps: Deps,
  id: string,
  { clearedAt, hidden = [] }: SessionView,
): Promise<Reduction | undefined> {
  const types = ['context_summarized']
  const query = { after: clearedAt, types, line: hidden, order: 'desc', limit: 1 } as const
  const [stored] = await deps.store.read(keyOf(deps, id), query)
  if (stored === undefined) return undefined
  const { content: summary, parts } = sessionEvent(id, stored)
  const { range, hash } = parts as unknown as Pick<Reduction, 'range' | 'hash'>
  return { id: stored.id, summary, range, hash }
}

/**
 * Shrinks the past of a live session for the model. Above 80 % of the budget it summarises all but the last ten turns,
 * as one event with its range and hash; below, the window alone is enough. The originals stay in the log.
 */
export async function reduceContext(deps: Deps, id: string, options: ReduceOptions): Promise<Reduced> {
  const { maxTokens, strategy: wanted, idempotencyKey } = parse(reduceOptions, options)
  const view = await load(deps, id)
  const strategy = wanted ?? ((await isFull(deps, id, view, maxTokens)) ? 'summarize' : 'window')
  const range = strategy === 'summarize' ? await unsummarised(deps, id, view) : undefined
  if (range === undefined) return await reduced(deps, id, view, strategy, maxTokens)
  const digest = await digestLog(deps, view, range)
  const before = await lastReduction(deps, id, view)
  const { summary: content, ...made } = await summarize(deps, digest, view.record.task, before?.summary)
  const parts = { range, hash: digest.hash, ...made }
  const draft: Draft = { type: 'context_summarized', content, parts: parts as unknown as JsonObject }
  // messages that were hidden while the summary was made stay hidden
  const isOfLine = (now: SessionView) => now.clearedAt === view.clearedAt && isSameLine(now.hidden, view.hidden)
  await decideOn(deps, id, (now) => (isOfLine(now) ? [draft] : []), {
    command: ['reduce', maxTokens, wanted],
    idempotencyKey,
  })
  return await reduced(deps, id, view, strategy, maxTokens)
}

/** Whether the messages since the last summary take more than 80 % of the budget. */
async function isFull(deps: Deps, id: string, view: SessionView, maxTokens: number): Promise<boolean> {
  const floor = (await lastReduction(deps, id, view))?.range.to ?? view.clearedAt
  const count = await eventCounter(deps)
  const most = FULL * maxTokens
  let tokens = 0
  for await (const event of logHistory(deps, view, floor).events()) {
    tokens += await count(event, most - tokens)
    if (tokens > most) return true
  }
  return false
}

/** The range before the last ten turns; `undefined` if it is empty or already summarised. */
async function unsummarised(deps: Deps, id: string, view: SessionView): Promise<Range | undefined> {
  const { events } = await recentEvents(deps, id, { maxTurns: KEPT_TURNS })
  const to = (events[0]?.sequence ?? 0) - 1
  const done = (await lastReduction(deps, id, view))?.range.to ?? view.clearedAt
  const { hidden: line = [] } = view
  const before = { after: done, before: to + 1, types: TURN_TYPES, line, order: 'asc', limit: 1 } as const
  const turns = to > done ? await deps.store.read(keyOf(deps, id), before) : []
  return turns.length === 0 ? undefined : { from: view.clearedAt + 1, to }
}

async function reduced(
  deps: Deps,
  id: string,
  view: SessionView,
  strategy: Reduced['strategy'],
  maxTokens: number,
): Promise<Reduced> {
  const count = await tokenCounter(deps)
  if (strategy === 'truncate') {
    const last = (await readMessages(deps, id, { limit: LIMITS.page })) as Message[]
    return { strategy, ...(await truncateMessages(last, maxTokens, count)) }
  }
  const reduction = strategy === 'summarize' ? await lastReduction(deps, id, view) : undefined
  const floor = Math.max(view.clearedAt, reduction?.range.to ?? 0)
  const history = logHistory(deps, view, floor)
  const { id: event, summary, ...made } = reduction ?? {}
  const sections = event === undefined || summary === undefined ? {} : { reduced: { id: event, text: summary } }
  const { messages: sent, tokens } = await fitContext({ sections, history, maxTokens, floor }, count, deps.tokenCounts)
  const messages = sent.map(withOwnParts)
  history.remember()
  return defined({ strategy, messages, tokens, summary, ...made })
}

/** Parts belong to events that the next context uses again. */
function withOwnParts(message: Message): Message {
  return message.parts === undefined ? message : { ...message, parts: cloneJson(message.parts) }
}

async function load(deps: Deps, id: string): Promise<SessionView> {
  const view = await deps.store.load(keyOf(deps, id))
  if (view === undefined) throw new SessionNotFoundError(id)
  return view
}
