import type { RecallItem } from '../../api.ts'
import type { SessionEvent } from '../../domain/event.ts'
import { isLastPage } from '../../domain/event-size.ts'
import type { Memory } from '../../domain/memory/memory.ts'
import { defined } from '../../domain/optional.ts'
import { dateSpan } from '../../domain/recall/dates.ts'
import { rank, selectCandidates } from '../../domain/recall/rank.ts'
import type { RecallKind } from '../../domain/recall/recall-kind.ts'
import { weightsFor } from '../../domain/recall/weights.ts'
import { isHidden } from '../../domain/rewind.ts'
import type { FactsQuery, IndexedFacts, PlacedEvent, UserKey } from '../../ports/recall-index.ts'
import type { Deps } from '../kernel/deps.ts'
import { nextTurn } from '../kernel/next-turn.ts'
import { sessionEvent } from '../kernel/stored-event.ts'
import { candidatePages, lookUpTerms, type TermMatches } from '../term-index/operation.ts'

/** Newest messages of each of the best sessions that are considered without a term in common. */
const PER_SESSION = 500
/** Newest messages of a date in the question that are considered without a term in common. */
const DATED = 1000

/** Hits whose contents are fetched in one call. */
const PAGE = 100

/** A search hit: a place in a log, or a memory. */
export type Hit = { score: number } & (
  | { place: { session: string; sequence: number }; kind: 'event' | 'commit'; memory?: never }
  | { memory: Memory; place?: never }
)

/** From (inclusive) until (exclusive), as ISO 8601. */
export interface Span {
  from: string
  until: string
}

export function isIn(time: string, { from, until }: Span): boolean {
  return time >= from && time < until
}

/** What a search leaves out. */
interface SearchFilter {
  kinds: ReadonlySet<RecallKind>
  span: Span | undefined
  /** Whether to include messages that a rewind has hidden. */
  abandoned: boolean
}

/** Messages and session summaries that match a question, best first. Scores are relative to the best possible match. */
export async function searchMessages(
  deps: Deps,
  user: UserKey,
  text: string,
  limit: number,
  { kinds, span, abandoned }: SearchFilter,
): Promise<Hit[]> {
  const asked = await lookUpTerms(deps.store.index, { ...user, corpus: 'messages' }, text, weightsFor)
  if (asked === undefined) return []
  const { question, scores, weights } = asked
  const facts = await factsFor(deps, user, asked, limit, async (page) => {
    const wanted = page.filter(({ kind, time }) => {
      return kinds.has(kind) && (span === undefined || isIn(new Date(time).toISOString(), span))
    })
    return abandoned ? wanted : await onTheLine(deps, user, wanted)
  })
  const kindOf = new Map(facts.map(({ session, sequence, kind }) => [`${session} ${sequence}`, kind]))
  // no term of the question is in the index: only dates and speakers matched
  const unit = scores.most || 1
  return rank(question, scores, facts, weights)
    .slice(0, limit)
    .map(({ session, sequence, score }) => ({
      place: { session, sequence },
      kind: kindOf.get(`${session} ${sequence}`) ?? 'event',
      score: score / unit,
    }))
}

/** The facts of events that no rewind has hidden. */
async function onTheLine({ store }: Deps, user: UserKey, facts: IndexedFacts[]): Promise<IndexedFacts[]> {
  const sessions = [...new Set(facts.map(({ session }) => session))]
  if (sessions.length === 0) return []
  const rewound = await store.index.hidden(user, sessions)
  if (rewound.length === 0) return facts
  const hidden = new Map(rewound.map((each) => [each.session, each.hidden]))
  return facts.filter(({ session, sequence }) => !isHidden(hidden.get(session), sequence))
}

/** Facts of the best candidates that pass the filter, page by page until there are enough. */
async function factsFor(
  deps: Deps,
  user: UserKey,
  asked: TermMatches,
  limit: number,
  filter: (facts: IndexedFacts[]) => Promise<IndexedFacts[]>,
): Promise<IndexedFacts[]> {
  const { sessions } = selectCandidates(asked.scores, asked.weights)
  const dated = await datesOf(deps, user, asked)
  let around: Omit<FactsQuery, 'places'> = defined({ sessions, perSession: PER_SESSION, span: dated })
  const found = new Map<string, IndexedFacts>()
  for (const places of candidatePages(asked)) {
    const facts = await deps.store.index.facts(user, { places, ...around })
    for (const each of await filter(facts)) found.set(`${each.session} ${each.turn}`, each)
    if (found.size >= limit) break
    around = { sessions: [], perSession: 0 }
  }
  return [...found.values()]
}

/** The time range of a date in the question; without a year, the latest such date. */
async function datesOf({ store }: Deps, user: UserKey, { question: { date } }: TermMatches) {
  if (date === undefined) return undefined
  const [from, to] = dateSpan(date, date.year === undefined ? await lastYear(store, user) : date.year)
  return { from, to, limit: DATED }
}

async function lastYear(store: Deps['store'], user: UserKey): Promise<number> {
  const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER, limit: 1 }
  const [last] = await store.index.facts(user, { places: [], sessions: [], perSession: 0, span })
  return new Date((last as IndexedFacts | undefined)?.time ?? 0).getUTCFullYear()
}

/** The hits with their contents, in order and page by page. Purged ones are left out. */
export async function* withContents(deps: Deps, user: UserKey, hits: readonly Hit[]): AsyncGenerator<RecallItem[]> {
  for (let rest = hits; rest.length > 0; ) {
    const wanted = rest.slice(0, PAGE)
    const places = wanted.flatMap(({ place }) => place ?? [])
    const found = places.length === 0 ? [] : await deps.store.index.events(user, places)
    const events = new Map(
      found.map(({ session, event }) => [`${session} ${event.sequence}`, sessionEvent(session, event)]),
    )
    const last = found.at(-1)
    const isWhole = isLastPage(
      found.map(({ event }) => event),
      Number.POSITIVE_INFINITY,
    )
    const end = isWhole || last === undefined ? wanted.length : 1 + wanted.findIndex((hit) => isAt(hit, last))
    yield wanted.slice(0, end).flatMap((hit) => itemOf(hit, events))
    rest = rest.slice(end)
    await nextTurn()
  }
}

function isAt({ place }: Hit, { session, event }: PlacedEvent): boolean {
  return place?.session === session && place.sequence === event.sequence
}

function itemOf(hit: Hit, events: ReadonlyMap<string, SessionEvent>): RecallItem[] {
  if (hit.memory !== undefined) return [memoryItem(hit.memory, hit.score)]
  const event = events.get(`${hit.place.session} ${hit.place.sequence}`)
  if (event === undefined) return []
  const { id, sessionId, sequence, content, role, agentId, occurredAt, createdAt, parts } = event
  const commit = hit.kind === 'commit' ? (parts as { id?: string } | undefined)?.id : undefined
  return [
    {
      kind: hit.kind,
      id: commit ?? id,
      sessionId,
      sequence,
      content,
      score: hit.score,
      at: occurredAt ?? createdAt,
      ...(hit.kind === 'event' && { role }),
      ...(agentId !== undefined && { agentId }),
    },
  ]
}

function memoryItem({ id, content, createdAt, sourceType, lineage }: Memory, score: number): RecallItem {
  const origin = lineage.find(({ relation }) => relation === 'origin')
  return {
    kind: 'memory',
    id,
    ...(origin?.sessionId !== undefined && { sessionId: origin.sessionId }),
    ...(origin?.from !== undefined && { sequence: origin.from }),
    content,
    score,
    at: createdAt,
    sourceType,
  }
}
