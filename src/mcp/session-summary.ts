import type { Session } from '../api.ts'
import { clip, newestThatFit } from './clip.ts'
import type { Desk } from './tool-context.ts'
import { type ShownEvent, type ShownSession, shownEvent, shownSession } from './views.ts'

/** Where a session stands: what it is, and the last that was said in it. */
export interface Standing {
  session: ShownSession
  recent: ShownEvent[]
  /** Events of the turns asked for that found no room. */
  omitted: number
}

/** Reads where a session stands. */
export async function standingOf(session: Session, maxTurns: number): Promise<Standing> {
  const record = await session.record()
  const { events } = await session.recent({ maxTurns })
  const { kept, omitted } = newestThatFit(events, shownEvent)
  return { session: shownSession(record), recent: kept, omitted }
}

/** Turns that come along where a conversation is resumed. */
const RESUMED_TURNS = 5

/** Characters of what is to be said to the user. */
const LONGEST_SAY = 8000

/** Where a conversation stands when its user comes back. */
export interface Comeback {
  plan: string
  say: string
  standing?: Standing
}

/** Where that conversation stands or, if none is named, the one in which something happened last. */
export async function comeback(
  { tl, userId }: Desk,
  { conversationId, ...scope }: { conversationId?: string; chatmode?: string; accept?: boolean },
): Promise<Comeback> {
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
    say: clip(say, LONGEST_SAY),
    ...(known !== undefined && { standing: await standingOf(known, RESUMED_TURNS) }),
  }
}
