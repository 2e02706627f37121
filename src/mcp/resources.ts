import {
  type McpServer,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  type Variables,
} from '@modelcontextprotocol/server'
import type { Session } from '../api.ts'
import { fitFirst, fitItem, fitLast, MAX_RESPONSE, oneLine, truncateDeep } from './response-limits.ts'
import { renderTimeline } from './timeline.ts'
import { sessionOf, type ToolContext } from './tool-context.ts'
import { toClientError } from './tool-error.ts'
import { scratchpadView } from './tools/scratchpad.ts'
import { eventView, sessionView } from './views.ts'

/** Where resources begin. */
export const SESSIONS_URI = 'throughline://sessions'
/** Sessions that lists show. */
const MAX_LISTED = 50
/** Events on one page. */
const PAGE = 100

/** A kind of thing that can be read of a session. */
interface SessionResource {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Behind `throughline://sessions`. */
  readonly path: string
  readonly mimeType: 'text/markdown' | 'application/json'
  read(desk: ToolContext, session: Session, variables: Variables): Promise<unknown>
}

/** What can be read of each session. */
export const SESSION_RESOURCES: readonly SessionResource[] = [
  {
    name: 'session',
    title: 'Session',
    description: 'What a session is, what it waits for, and its last events, as Markdown.',
    path: '/{id}',
    mimeType: 'text/markdown',
    read: (_desk, session) => renderTimeline(session),
  },
  {
    name: 'session-events',
    title: 'Events of a session',
    description: 'The last 100 events of a session, oldest first, as JSON.',
    path: '/{id}/events',
    mimeType: 'application/json',
    read: async (_desk, session) => {
      const events = await session.events({ order: 'desc', limit: PAGE })
      const { kept, omitted } = fitLast(events.toReversed(), eventView)
      return { events: kept, omitted, ...previousPage(session, kept[0]?.sequence) }
    },
  },
  {
    name: 'session-events-from',
    title: 'Events of a session from a sequence on',
    description: 'Up to 100 events of a session, beginning with that sequence, as JSON.',
    path: '/{id}/events/{from}',
    mimeType: 'application/json',
    read: async (_desk, session, { from }) => {
      const first = /^\d{1,15}$/.test(String(from)) ? Number(from) : Number.NaN
      const events = await session.events({ after: first - 1, limit: PAGE })
      const { kept, omitted } = fitFirst(events, eventView)
      const hasMore = omitted > 0 || events.length === PAGE
      return { events: kept, omitted, ...(hasMore && { next: nextPage(session, kept.at(-1)?.sequence) }) }
    },
  },
  {
    name: 'session-scratchpad',
    title: 'Scratchpad of a session',
    description: 'The working memory of a session, as JSON.',
    path: '/{id}/scratchpad',
    mimeType: 'application/json',
    read: async (_desk, session) => scratchpadView(await session.state()),
  },
  {
    name: 'session-commits',
    title: 'Commits of a conversation',
    description: 'Summaries of the finished sessions of the conversation that the session belongs to, as JSON.',
    path: '/{id}/commits',
    mimeType: 'application/json',
    read: async ({ tl, userId }, session) => {
      const { conversationId } = await session.record()
      const { items } = await tl.conversations.commits(conversationId, { userId, limit: PAGE })
      const { kept, omitted } = fitLast(items, truncateDeep)
      return { commits: kept, omitted }
    },
  },
]

/** The page before these events, if there is one. */
function previousPage({ id }: Session, first = 1): { previous?: string } {
  return first <= 1 ? {} : { previous: `${SESSIONS_URI}/${id}/events/${Math.max(1, first - PAGE)}` }
}

/** The page after the event of that sequence. */
function nextPage({ id }: Session, last = 0): string {
  return `${SESSIONS_URI}/${id}/events/${last + 1}`
}

/** The list of sessions, which is no view of one. */
export const SESSION_LIST = {
  name: 'sessions',
  title: 'Sessions',
  description: 'The 50 sessions with the latest activity, as JSON.',
  uri: SESSIONS_URI,
  mimeType: 'application/json',
} as const

/** Puts all that can be read on a server. */
export function registerResources(server: McpServer, desk: ToolContext): void {
  const { name, uri, ...about } = SESSION_LIST
  server.registerResource(name, uri, about, (given) =>
    readResource(desk, given.href, about.mimeType, async () => {
      const { items, nextCursor } = await recentSessions(desk)
      const sessions = items.map((record) => fitItem(record, sessionView, MAX_RESPONSE / MAX_LISTED))
      return { sessions, hasMore: nextCursor !== undefined }
    }),
  )
  for (const view of SESSION_RESOURCES) registerSessionResource(server, desk, view)
}

function registerSessionResource(
  server: McpServer,
  desk: ToolContext,
  { name, path, read, ...about }: SessionResource,
): void {
  const complete = { id: (value: string) => completeId(desk, value) }
  // each session once in the list of what there is: its other views are named by the templates
  const list = name === 'session' ? () => listSessionResources(desk) : undefined
  const template = new ResourceTemplate(`${SESSIONS_URI}${path}`, { list, complete })
  server.registerResource(name, template, about, (uri, variables) =>
    readResource(desk, uri.href, about.mimeType, async () => {
      const session = await sessionOf(desk, String(variables['id']))
      return await read(desk, session, variables)
    }),
  )
}

/** What was read, or the protocol's own error. Text goes as it is, anything else as JSON. */
async function readResource(
  desk: ToolContext,
  uri: string,
  mimeType: string,
  read: () => Promise<unknown>,
): Promise<ReadResourceResult> {
  try {
    const value = await read()
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return { contents: [{ uri, mimeType, text }] }
  } catch (error) {
    const told = toClientError(error)
    if (told.code === 'SESSION_NOT_FOUND') throw new ResourceNotFoundError(uri)
    if (told.isUnexpected) desk.report(error)
    throw new Error(`${told.code}: ${told.message}`)
  }
}

async function recentSessions({ tl, userId }: ToolContext) {
  return await tl.sessions.list({ userId, limit: MAX_LISTED })
}

async function listSessionResources(desk: ToolContext) {
  const { items } = await recentSessions(desk)
  const resources = items.map(({ id, task, status, lastActivityAt }) => ({
    uri: `${SESSIONS_URI}/${id}`,
    name: task === undefined ? `Session ${id}` : oneLine(task, 80),
    description: `${status.state}, last ${lastActivityAt}`,
    mimeType: 'text/markdown',
  }))
  return { resources }
}

async function completeId(desk: ToolContext, value: string): Promise<string[]> {
  const { items } = await recentSessions(desk)
  return items.map(({ id }) => id).filter((id) => id.startsWith(value.toLowerCase()))
}
