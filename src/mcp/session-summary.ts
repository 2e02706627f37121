import type { Session, Throughline } from '../api.ts'
import { defined } from '../domain/optional.ts'
import type { SessionRecord } from '../domain/record.ts'
import { fitLast, truncate } from './response-limits.ts'
import type { ToolContext } from './tool-context.ts'
import { type EventView, eventView, type SessionView, sessionView } from './views.ts'

/** A session and its last events. */
export interface SessionSummary {
  session: SessionView
  recent: EventView[]
  /** Events of the requested turns that did not fit. */
  omitted: number
}

export async function summarizeSession(session: Session, maxTurns: number): Promise<SessionSummary> {
  const record = await session.record()
  const { events } = await session.recent({ maxTurns })
  const { kept, omitted } = fitLast(events, eventView)
  return { session: sessionView(record), recent: kept, omitted }
}

/** Turns shown when a conversation is resumed. */
const RESUMED_TURNS = 5

/** Characters of the message to the user. */
const MAX_SAY = 8000

/** How to resume a conversation. */
export interface ResumeSummary {
  plan: string
  say: string
  summary?: SessionSummary
}

/** Levels of sub-agents to go up. */
const MAX_LEVELS = 20

/** The session that the user talks to: the parent of a sub-agent, if it exists. */
async function topOf(tl: Throughline, newest: SessionRecord): Promise<SessionRecord> {
  let top = newest
  for (let level = 0; top.parent !== undefined && level < MAX_LEVELS; level++) {
    const parent = await tl.sessions.get(top.parent.sessionId).catch(() => undefined)
    if (parent === undefined) return top
    top = await parent.record()
  }
  return top
}

/** Resumes a conversation: the named one, or the one with the latest activity. */
export async function resumeSummary(
  { tl, userId }: ToolContext,
  { conversationId, accept, ...filter }: { conversationId?: string; chatmode?: string; accept?: boolean },
): Promise<ResumeSummary> {
  const [newest] = conversationId === undefined ? (await tl.sessions.list({ ...filter, userId, limit: 1 })).items : []
  const last = newest && (await topOf(tl, newest))
  const conversation = conversationId ?? last?.conversationId
  if (conversation === undefined) {
    return { plan: 'new_task', say: 'There is no earlier session. What would you like to do?' }
  }
  const chatmode = filter.chatmode ?? last?.chatmode
  const options = { userId, ...defined({ chatmode, accept }) }
  const { plan, say, session, ended } = await tl.conversations.resume(conversation, options)
  const resumed = session ?? ended
  const summary = resumed === undefined ? undefined : await summarizeSession(resumed, RESUMED_TURNS)
  return { plan, say: truncate(say, MAX_SAY), ...defined({ summary }) }
}
