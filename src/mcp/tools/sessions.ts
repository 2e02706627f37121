import { z } from 'zod'
import { LIMITS } from '../../domain/limits.ts'
import { defined } from '../../domain/optional.ts'
import { SESSION_STATES } from '../../domain/record.ts'
import { moment, name, text, uuid } from '../../features/kernel/parse.ts'
import { quote } from '../quote.ts'
import { fitItem, MAX_RESPONSE } from '../response-limits.ts'
import { resumeSummary, summarizeSession } from '../session-summary.ts'
import { defineTool, pageLimit, sessionId } from '../tool.ts'
import { eventSchema, eventText, omittedText, sessionLine, sessionSchema, sessionText, sessionView } from '../views.ts'

const chatmode = z.optional(name()).describe("Kind of work, free text. Default: 'default'.")

const startSession = defineTool({
  name: 'start_session',
  title: 'Start a session',
  description:
    'Start a session. Call once per task and reuse the returned id. If the conversation already has a live session, that one is returned.',
  input: z.object({
    task: z.optional(text(LIMITS.task)).describe('What to do, in one or two sentences.'),
    conversationId: z.optional(name()).describe('Conversation it belongs to. Default: a new one.'),
    chatmode,
    agent: z.optional(name()).describe('Agent that acts first. The store may accept only agents it knows.'),
    workflow: z.optional(name()),
    gitBranch: z.optional(name()),
    id: z.optional(uuid()).describe('Your own UUID for the session. Makes the call safe to repeat.'),
  }),
  output: z.object({ session: sessionSchema, isNew: z.boolean() }),
  effect: 'adds',
  async run({ tl, userId }, input) {
    const fields = { ...defined(input), userId }
    const { conversationId, chatmode: mode } = fields
    const live =
      conversationId === undefined
        ? undefined
        : await tl.sessions.active({ userId, conversationId, ...defined({ chatmode: mode }) })
    const created = () => (conversationId === undefined ? tl.sessions.create : tl.sessions.getOrCreate)(fields)
    const session = sessionView(await (live ?? (await created())).record())
    const isNew = live === undefined
    return { data: { session, isNew }, text: `${isNew ? 'Started' : 'Already live'}. ${quote(sessionText(session))}` }
  },
})

const resumeConversation = defineTool({
  name: 'resume_conversation',
  title: 'Resume a conversation',
  description:
    'Get the state of earlier work and what to say to the user. Call first when the user returns, asks to continue, or you do not know what happened before.',
  input: z.object({
    conversationId: z.optional(name()).describe('Default: the most recently active one.'),
    chatmode,
    accept: z.boolean().optional().describe('True after the user accepted the offer to continue.'),
  }),
  output: z.object({
    plan: z
      .string()
      .describe('new_task, show_progress, ask_again, present_summary, repeat_interruption, offer or expired.'),
    say: z.string().describe('What to say to the user.'),
    session: sessionSchema.optional(),
    recent: z.array(eventSchema),
    omitted: z.int().describe('Recent events omitted to fit the response.'),
  }),
  effect: 'adds',
  idempotent: true,
  async run(context, input) {
    const { plan, say, summary } = await resumeSummary(context, defined(input))
    const { session, recent = [], omitted = 0 } = summary ?? {}
    const about = session === undefined ? 'There is no session to resume.' : sessionText(session)
    return {
      data: { plan, say, ...defined({ session }), recent, omitted },
      text: [
        `Plan: ${plan}`,
        ...omittedText(omitted, 'events'),
        quote(`Say: ${say}`, about, ...recent.map(eventText)),
      ].join('\n'),
    }
  },
})

/** Sessions on one page. */
const MAX_LISTED = 50

const listSessions = defineTool({
  name: 'list_sessions',
  title: 'List sessions',
  description: 'List sessions, most recently active first. Call to find a session id or unfinished work.',
  input: z.object({
    status: z.enum(SESSION_STATES).optional().describe('Only in this state.'),
    chatmode: z.optional(name()).describe('Only with this chatmode.'),
    conversationId: z.optional(name()).describe('Only in this conversation.'),
    parent: z.optional(uuid()).describe('Only sub-agents of this session.'),
    since: z.optional(moment()).describe('Only active at or after this time, ISO 8601.'),
    limit: pageLimit(MAX_LISTED, 20),
    cursor: z.string().optional().describe('nextCursor of the previous page.'),
  }),
  output: z.object({ sessions: z.array(sessionSchema), nextCursor: z.string().optional() }),
  effect: 'reads',
  async run({ tl, userId }, input) {
    const { items, nextCursor } = await tl.sessions.list({ ...defined(input), userId })
    const sessions = items.map((record) => fitItem(record, sessionView, MAX_RESPONSE / MAX_LISTED))
    const more = nextCursor === undefined ? [] : [`Next page: cursor ${nextCursor}`]
    const lines = sessions.length === 0 ? ['No sessions.'] : [quote(...sessions.map(sessionLine)), ...more]
    return { data: { sessions, ...defined({ nextCursor }) }, text: lines.join('\n') }
  },
})

const readSession = defineTool({
  name: 'read_session',
  title: 'Read a session',
  description:
    'Get the state of a session, what it waits for, and its latest turns. For the whole log, read the resource throughline://sessions/{id}/events.',
  input: z.object({
    sessionId,
    turns: pageLimit(50, 10).describe('Number of latest turns, 1 to 50. A turn starts with a user message.'),
  }),
  output: z.object({
    session: sessionSchema,
    recent: z.array(eventSchema).describe('Oldest first.'),
    omitted: z.int().describe('Events of these turns omitted to fit the response.'),
  }),
  effect: 'reads',
  async run({ tl }, { sessionId: id, turns }) {
    const { session, recent, omitted } = await summarizeSession(await tl.sessions.get(id), turns)
    return {
      data: { session, recent, omitted },
      text: [...omittedText(omitted, 'events'), quote(sessionText(session), ...recent.map(eventText))].join('\n'),
    }
  },
})

export const sessionTools = [startSession, resumeConversation, listSessions, readSession]
