import type { RecallItem } from '../../api.ts'
import type { ContextItem } from '../../domain/context/context.ts'
import { SessionEndedError } from '../../domain/errors.ts'
import type { SessionView } from '../../domain/fold.ts'
import type { JsonObject } from '../../domain/json.ts'
import { LIMITS } from '../../domain/limits.ts'
import type { Message } from '../../domain/message.ts'
import { endTime } from '../../domain/record.ts'
import { type Deps, now } from '../kernel/deps.ts'
import { appendEvents } from '../log/operation.ts'
import type { RecallOptions } from './schema.ts'

/** Characters shown of a recalled item; the log has the whole. */
const LONGEST = 1000

/** Recalled items and the query that found them. */
export interface Recalled {
  query: string
  items: RecallItem[]
}

/** What the context holds without recalled items. */
interface Told {
  readonly messages: readonly Message[]
  /** Sequences of its events. */
  readonly events: ReadonlySet<number>
  readonly earlier: readonly ContextItem[]
}

/** Recalls what relates to the last message, without items that the context already holds. */
export async function recallFor(
  deps: Deps,
  { record }: SessionView,
  { messages, events, earlier }: Told,
  { query = queryOf(record.task, messages), limit, ...rest }: RecallOptions,
): Promise<Recalled> {
  if (query === '') return { query, items: [] }
  const { recall } = await import('../recall/operation.ts')
  const { tenant, userId, id } = record
  const summaries = new Set(earlier.map((summary) => summary.id))
  const isTold = ({ kind, id: found, sessionId, sequence = 0 }: RecallItem) =>
    kind !== 'memory' && (summaries.has(found) || (sessionId === id && events.has(sequence)))
  // the context may hold as many of the hits as are requested beyond the limit
  const most = Math.min(LIMITS.page, limit + events.size + earlier.length)
  const { items } = await recall(deps, { tenant, userId, query, limit: most, ...rest } as Parameters<typeof recall>[1])
  return { query, items: items.filter((item) => !isTold(item)).slice(0, limit) }
}

/** The user's last message and the task. */
function queryOf(task: string | undefined, messages: readonly Message[]): string {
  const last = messages.findLast(({ role, content }) => role === 'user' && content !== '')
  return [last?.content, task]
    .filter((text) => text !== undefined)
    .join('\n')
    .slice(0, LIMITS.query)
}

/** The recalled items as the model reads them. */
export function toldOf({ id, kind, at, role, agentId, content }: RecallItem): ContextItem {
  const text = content.length > LONGEST ? `${content.slice(0, LONGEST)} …` : content
  const who = kind === 'commit' ? 'summary' : (agentId ?? role)
  return { id, text: kind === 'memory' ? text : `${at.slice(0, 10)}, ${who}: ${text}` }
}

/** Records what was recalled for the model, and counts the memories among it as used. */
export async function logRecall(deps: Deps, { record }: SessionView, { query, items }: Recalled): Promise<void> {
  if (items.length === 0) return
  const { tenant, userId, id } = record
  const memories = items.filter(({ kind }) => kind === 'memory').map((item) => item.id)
  if (memories.length > 0) await deps.store.memories.markUsed({ tenant, userId }, memories, now(deps))
  if (endTime(record, now(deps)) !== undefined) return
  const places = items.map(({ kind, id: found, sessionId, sequence, score }) => {
    return { kind, id: found, ...(sessionId !== undefined && { sessionId, sequence }), score }
  })
  const content = `Recalled ${items.length} for: ${query}`
  const parts = { query, items: places } as unknown as JsonObject
  try {
    await appendEvents(deps, id, { type: 'memory_recall', content, parts })
  } catch (error) {
    // the session ended at this very moment: the response stands, and the log takes no more events
    if (!(error instanceof SessionEndedError)) throw error
  }
}
