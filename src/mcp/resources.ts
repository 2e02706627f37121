import {
  type McpServer,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  type Variables,
} from '@modelcontextprotocol/server'
import type { Session } from '../api.ts'
import { defined } from '../domain/optional.ts'
import { fitFirst, fitItem, fitLast, MAX_RESPONSE, oneLine, truncateDeep } from './response-limits.ts'
import { renderTimeline } from './timeline.ts'
import type { ToolContext } from './tool-context.ts'
import { protocolError } from './tool-error.ts'
import { scratchpadView } from './tools/scratchpad.ts'
import { eventView, sessionView } from './views.ts'

/** Root of all resource URIs. */
export const SESSIONS_URI = 'throughline://sessions'
/** Sessions in a list. */
const MAX_LISTED = 50
/** Events on one page. */
const PAGE = 100

/** A resource that every session has. */
interface SessionResource {
  readonly name: string
  readonly title: string
  readonly description: string
  /** After `throughline://sessions`. */
  readonly path: string
  readonly mimeType: 'text/markdown' | 'application/json'
  read(context: ToolContext, session: Session, variables: Variables): Promise<unknown>
}

export const SESSION_RESOURCES: readonly SessionResource[] = [
  {
    name: 'session',
    title: 'Session',
    description: 'A session with its state, what it waits for, its progress and its last 100 events, as Markdown.',
    path: '/{id}',
    mimeType: 'text/markdown',
    read: (_context, session) => renderTimeline(session),
  },
  {
    name: 'session-events',
    title: 'Latest events of a session',
    description: 'The last 100 events of a session, oldest first, as JSON.',
    path: '/{id}/events',
    mimeType: 'application/json',
    read: async (_context, session) => {
      const events = await session.events({ order: 'desc', limit: PAGE })
      const { kept, omitted } = fitLast(events.toReversed(), eventView)
      return { events: kept, omitted, ...defined({ previous: previousPage(session, kept[0]?.sequence) }) }
    },
  },
  {
    name: 'session-events-from',
    title: 'Events of a session from a sequence number',
    description: 'Up to 100 events of a session, starting at a sequence number, as JSON.',
    path: '/{id}/events/{from}',
    mimeType: 'application/json',
    read: async (_context, session, { from }) => {
      const first = /^\d{1,15}$/.test(String(from)) ? Number(from) : Number.NaN
      const events = await session.events({ after: first - 1, limit: PAGE })
      const { head } = await session.record()
      const { kept, omitted } = fitFirst(events, eventView)
      const last = kept.at(-1)?.sequence ?? head
      return { events: kept, omitted, ...(last < head && { next: pageUri(session, last + 1) }) }
    },
  },
  {
    name: 'session-scratchpad',
    title: 'Scratchpad of a session',
    description: 'The working memory of a session, as JSON.',
    path: '/{id}/scratchpad',
    mimeType: 'application/json',
    read: async (_context, session) => scratchpadView(await session.state()),
  },
  {
    name: 'session-commits',
    title: 'Summaries of a conversation',
    description: "Summaries of the finished sessions in this session's conversation, as JSON.",
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

function previousPage(session: Session, first = 1): string | undefined {
  return first <= 1 ? undefined : pageUri(session, Math.max(1, first - PAGE))
}

function pageUri({ id }: Session, from: number): string {
  return `${SESSIONS_URI}/${id}/events/${from}`
}

export const SESSION_LIST = {
  name: 'sessions',
  title: 'Sessions',
  description: 'The 50 most recently active sessions, as JSON.',
  uri: SESSIONS_URI,
  mimeType: 'application/json',
} as const

export function registerResources(server: McpServer, context: ToolContext): void {
  const { name, uri, ...about } = SESSION_LIST
  server.registerResource(name, uri, about, (requested) =>
    readResource(context, requested.href, about.mimeType, async () => {
      const { items, nextCursor } = await recentSessions(context)
      const sessions = items.map((record) => fitItem(record, sessionView, MAX_RESPONSE / MAX_LISTED))
      return { sessions, hasMore: nextCursor !== undefined }
    }),
  )
  for (const resource of SESSION_RESOURCES) registerSessionResource(server, context, resource)
}

function registerSessionResource(
  server: McpServer,
  context: ToolContext,
  { name, path, read, ...about }: SessionResource,
): void {
  const complete = { id: (value: string) => completeId(context, value) }
  // lists each session once; the templates name its other resources
  const list = name === 'session' ? () => listSessionResources(context) : undefined
  const template = new ResourceTemplate(`${SESSIONS_URI}${path}`, { list, complete })
  server.registerResource(name, template, about, (uri, variables) =>
    readResource(context, uri.href, about.mimeType, async () => {
      const session = await context.tl.sessions.get(String(variables['id']))
      return await read(context, session, variables)
    }),
  )
}

/** Text is returned as it is, anything else as JSON. */
async function readResource(
  context: ToolContext,
  uri: string,
  mimeType: string,
  read: () => Promise<unknown>,
): Promise<ReadResourceResult> {
  try {
    const value = await read()
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return { contents: [{ uri, mimeType, text }] }
  } catch (error) {
    if ((error as { code?: unknown } | undefined)?.code === 'SESSION_NOT_FOUND') throw new ResourceNotFoundError(uri)
    throw protocolError(error, context.report)
  }
}

async function recentSessions({ tl, userId }: ToolContext) {
  return await tl.sessions.list({ userId, limit: MAX_LISTED })
}

async function listSessionResources(context: ToolContext) {
  const { items } = await recentSessions(context)
  const resources = items.map(({ id, task, status, lastActivityAt }) => ({
    uri: `${SESSIONS_URI}/${id}`,
    name: task === undefined ? `Session ${id}` : oneLine(task, 80),
    description: `${status.state}, last activity ${lastActivityAt}`,
    mimeType: 'text/markdown',
  }))
  return { resources }
}

async function completeId(context: ToolContext, prefix: string): Promise<string[]> {
  const { items } = await recentSessions(context)
  return items.map(({ id }) => id).filter((id) => id.startsWith(prefix.toLowerCase()))
}
