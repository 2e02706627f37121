import type { Session } from '../api.ts'
import { fitLast, truncate } from './response-limits.ts'
import type { ToolContext } from './tool-context.ts'
import { type EventView, eventView, type SessionView, sessionView } from './views.ts'

/** Where a session stands: what it is, and the last that was said in it. */
export interface SessionSummary {
  session: SessionView
  recent: EventView[]
  /** Events of the turns asked for that found no room. */
  omitted: number
}

/** Reads where a session stands. */
export async function summarizeSession(session: Session, maxTurns: number): Promise<SessionSummary> {
  const record = await session.record()
  const { events } = await session.recent({ maxTurns })
  const { kept, omitted } = fitLast(events, eventView)
  return { session: sessionView(record), recent: kept, omitted }
}

/** Turns that come along where a conversation is resumed. */
const RESUMED_TURNS = 5

/** Characters of what is to be said to the user. */
const LONGEST_SAY = 8000

/** Where a conversation stands when its user comes back. */
export interface ResumeSummary {
  plan: string
  say: string
  summary?: SessionSummary
}

/** Where that conversation stands or, if none is named, the one in which something happened last. */
export async function resumeSummary(
  { tl, userId }: ToolContext,
  { conversationId, ...scope }: { conversationId?: string; chatmode?: string; accept?: boolean },
): Promise<ResumeSummary> {
  const { accept, ...filter } = scope
  const last =
    conversationId === undefined ? (await tl.sessions.list({ ...filter, userId, limit: 1 })).items[0] : undefined
  const conversation = conversationId ?? last?.conversationId
  if (conversation === undefined)
    return { plan: 'new_task', say: 'There is no session yet. What would you like to do?' }
  const chatmode = scope.chatmode ?? last?.chatmode
  const resumed = await tl.conversations.resume(conversation, {
    userId,
    ...(chatmode !== undefined && { chatmode }),
    ...(accept !== undefined && { accept }),
  })
  const { plan, say, session, ended } = resumed
  const known = session ?? ended
  return {
    plan,
    say: truncate(say, LONGEST_SAY),
    ...(known !== undefined && { summary: await summarizeSession(known, RESUMED_TURNS) }),
  }
}
