import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { SESSION_STATES } from '../../domain/record.ts'
import { moment, name, text, uuid } from '../../features/kernel/parse.ts'
import { quote } from '../quote.ts'
import { fitItem, MAX_RESPONSE } from '../response-limits.ts'
import { resumeSummary, summarizeSession } from '../session-summary.ts'
import { defineTool, pageLimit, sessionId } from '../tool.ts'
import { given, sessionOf } from '../tool-context.ts'
import { eventSchema, eventText, omittedText, sessionLine, sessionSchema, sessionText, sessionView } from '../views.ts'

const chatmode = z.optional(name()).describe("Kind of work, in the caller's words; 'default' if absent.")

const startSession = defineTool({
  name: 'start_session',
  title: 'Start a session',
  description:
    'Begins to keep a piece of work: use it once when a task begins, and keep the session id for all other calls. In a conversation that has a live session it gives that one instead of a second.',
  input: z.object({
    task: z.optional(text(LIMITS.task)).describe('What is to be done, in a sentence or two.'),
    conversationId: z.optional(name()).describe('Conversation that it belongs to; a new one if absent.'),
    chatmode,
    agent: z.optional(name()).describe('Agent that acts first; must be one that the store knows.'),
    workflow: z.optional(name()),
    gitBranch: z.optional(name()),
    id: z.optional(uuid()).describe('A UUID of your own for the session: makes it safe to repeat the call.'),
  }),
  output: z.object({ session: sessionSchema, isNew: z.boolean() }),
  effect: 'adds',
  async run({ tl, userId }, input) {
    const fields = given(input)
    const { conversationId, chatmode: mode } = fields
    const scope = { userId, ...(mode !== undefined && { chatmode: mode }) }
    const live = conversationId === undefined ? undefined : await tl.sessions.active({ ...scope, conversationId })
    const made =
      live ??
      (await (conversationId === undefined ? tl.sessions.create : tl.sessions.getOrCreate)({ ...fields, userId }))
    const session = sessionView(await made.record())
    const isNew = live === undefined
    return { data: { session, isNew }, text: `${isNew ? 'Started' : 'Already there'}. ${quote(sessionText(session))}` }
  },
})

const resumeConversation = defineTool({
  name: 'resume_conversation',
  title: 'Resume a conversation',
  description:
    'Says where earlier work stands, and what to say to the user. Use it first when the user comes back, asks to go on, or you do not know what was going on; without a conversation it takes the one in which something happened last.',
  input: z.object({
    conversationId: z.optional(name()).describe('The one with the latest activity if absent.'),
    chatmode,
    accept: z.boolean().optional().describe('True once the user has accepted the offer to go on.'),
  }),
  output: z.object({
    plan: z
      .string()
      .describe('new_task, show_progress, ask_again, present_summary, repeat_interruption, offer or expired.'),
    say: z.string().describe('What to say to the user.'),
    session: sessionSchema.optional(),
    recent: z.array(eventSchema),
    omitted: z.int().describe('Events of the last turns that found no room.'),
  }),
  effect: 'adds',
  idempotent: true,
  async run(desk, input) {
    const { plan, say, summary: standing } = await resumeSummary(desk, given(input))
    const { session, recent = [], omitted = 0 } = standing ?? {}
    const shown = session === undefined ? ['No session waits.'] : [sessionText(session)]
    return {
      data: { plan, say, ...(session !== undefined && { session }), recent, omitted },
      text: [
        `plan ${plan}`,
        ...omittedText(omitted, 'events'),
        quote(`Say: ${say}`, ...shown, ...recent.map(eventText)),
      ].join('\n'),
    }
  },
})

/** Sessions on one page. */
const LISTED = 50

const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List sessions',
  description: 'Lists sessions, those with the latest activity first. Use it to find an id, or what is still open.',
  input: z.object({
    status: z.enum(SESSION_STATES).optional().describe('Only those in this state.'),
    chatmode: z.optional(name()).describe('Only those of this chatmode.'),
    conversationId: z.optional(name()).describe('Only those of this conversation.'),
    since: z.optional(moment()).describe('Only those with activity at or after this time, ISO 8601.'),
    limit: pageLimit(LISTED, 20),
    cursor: z.string().optional().describe('nextCursor of the page before.'),
  }),
  output: z.object({ sessions: z.array(sessionSchema), nextCursor: z.string().optional() }),
  effect: 'reads',
  async run({ tl, userId }, input) {
    const { items, nextCursor } = await tl.sessions.list({ ...given(input), userId })
    const sessions = items.map((record) => fitItem(record, sessionView, MAX_RESPONSE / LISTED))
    const more = nextCursor === undefined ? [] : [`More with the cursor ${nextCursor}`]
    const lines = sessions.length === 0 ? ['No sessions.'] : [quote(...sessions.map(sessionLine)), ...more]
    return { data: { sessions, ...(nextCursor !== undefined && { nextCursor }) }, text: lines.join('\n') }
  },
})

const readSession = defineTool({
  name: 'read_session',
  title: 'Read a session',
  description:
    'Gives a session: its state, what it waits for, and its last turns. The whole log is in the resource throughline://sessions/{id}/events.',
  input: z.object({
    sessionId,
    turns: pageLimit(50, 10).describe('Last turns to read, 1 to 50. A turn begins with a user message.'),
  }),
  output: z.object({
    session: sessionSchema,
    recent: z.array(eventSchema).describe('Oldest first.'),
    omitted: z.int().describe('Events of these turns that found no room.'),
  }),
  effect: 'reads',
  async run(desk, { sessionId: id, turns }) {
    const standing = await summarizeSession(await sessionOf(desk, id), turns)
    const { session, recent, omitted } = standing
    return {
      data: { session, recent, omitted },
      text: [...omittedText(omitted, 'events'), quote(sessionText(session), ...recent.map(eventText))].join('\n'),
    }
  },
})

export const sessionTools = [startSession, resumeConversation, listSessions, readSession]
