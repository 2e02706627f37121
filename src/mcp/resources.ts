import {
  type McpServer,
  type ReadResourceResult,
  ResourceNotFoundError,
  ResourceTemplate,
  type Variables,
} from '@modelcontextprotocol/server'
import type { Session } from '../api.ts'
import { firstThatFit, LONGEST_ANSWER, line, newestThatFit, shortened, shownWithin } from './clip.ts'
import { timelineOf } from './timeline.ts'
import { type Desk, sessionOf } from './tool-context.ts'
import { toldOf } from './tool-error.ts'
import { shownScratchpad } from './tools/scratchpad.ts'
import { shownEvent, shownSession } from './views.ts'

/** Where resources begin. */
export const ROOT = 'throughline://sessions'
/** Sessions that lists show. */
const LISTED = 50
/** Events on one page. */
const PAGE = 100

/** A kind of thing that can be read of a session. */
interface View {
  readonly name: string
  readonly title: string
  readonly description: string
  /** Behind `throughline://sessions`. */
  readonly path: string
  readonly mimeType: 'text/markdown' | 'application/json'
  read(desk: Desk, session: Session, variables: Variables): Promise<unknown>
}

/** What can be read of each session. */
export const VIEWS: readonly View[] = [
  {
    name: 'session',
    title: 'Session',
    description: 'What a session is, what it waits for, and its last events, as Markdown.',
    path: '/{id}',
    mimeType: 'text/markdown',
    read: (_desk, session) => timelineOf(session),
  },
  {
    name: 'session-events',
    title: 'Events of a session',
    description: 'The last 100 events of a session, oldest first, as JSON.',
    path: '/{id}/events',
    mimeType: 'application/json',
    read: async (_desk, session) => {
      const events = await session.events({ order: 'desc', limit: PAGE })
      const { kept, omitted } = newestThatFit(events.toReversed(), shownEvent)
      return { events: kept, omitted, ...before(session, kept[0]?.sequence) }
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
      const { kept, omitted } = firstThatFit(events, shownEvent)
      const hasMore = omitted > 0 || events.length === PAGE
      return { events: kept, omitted, ...(hasMore && { next: behind(session, kept.at(-1)?.sequence) }) }
    },
  },
  {
    name: 'session-scratchpad',
    title: 'Scratchpad of a session',
    description: 'The working memory of a session, as JSON.',
    path: '/{id}/scratchpad',
    mimeType: 'application/json',
    read: async (_desk, session) => shownScratchpad(await session.state()),
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
      const { kept, omitted } = newestThatFit(items, shortened)
      return { commits: kept, omitted }
    },
  },
]

/** The page before these events, if there is one. */
function before({ id }: Session, first = 1): { previous?: string } {
  return first <= 1 ? {} : { previous: `${ROOT}/${id}/events/${Math.max(1, first - PAGE)}` }
}

/** The page after the event of that sequence. */
function behind({ id }: Session, last = 0): string {
  return `${ROOT}/${id}/events/${last + 1}`
}

/** The list of sessions, which is no view of one. */
export const LIST = {
  name: 'sessions',
  title: 'Sessions',
  description: 'The 50 sessions with the latest activity, as JSON.',
  uri: ROOT,
  mimeType: 'application/json',
} as const

/** Puts all that can be read on a server. */
export function registerResources(server: McpServer, desk: Desk): void {
  const { name, uri, ...about } = LIST
  server.registerResource(name, uri, about, (given) =>
    reading(desk, given.href, about.mimeType, async () => {
      const { items, nextCursor } = await recentSessions(desk)
      const sessions = items.map((record) => shownWithin(record, shownSession, LONGEST_ANSWER / LISTED))
      return { sessions, hasMore: nextCursor !== undefined }
    }),
  )
  for (const view of VIEWS) registerView(server, desk, view)
}

function registerView(server: McpServer, desk: Desk, { name, path, read, ...about }: View): void {
  const complete = { id: (value: string) => idsLike(desk, value) }
  // each session once in the list of what there is: its other views are named by the templates
  const list = name === 'session' ? () => listed(desk) : undefined
  const template = new ResourceTemplate(`${ROOT}${path}`, { list, complete })
  server.registerResource(name, template, about, (uri, variables) =>
    reading(desk, uri.href, about.mimeType, async () => {
      const session = await sessionOf(desk, String(variables['id']))
      return await read(desk, session, variables)
    }),
  )
}

/** What was read, or the protocol's own error. Text goes as it is, anything else as JSON. */
async function reading(
  desk: Desk,
  uri: string,
  mimeType: string,
  read: () => Promise<unknown>,
): Promise<ReadResourceResult> {
  try {
    const value = await read()
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    return { contents: [{ uri, mimeType, text }] }
  } catch (error) {
    const told = toldOf(error)
    if (told.code === 'SESSION_NOT_FOUND') throw new ResourceNotFoundError(uri)
    if (told.isOurs) desk.report(error)
    throw new Error(`${told.code}: ${told.message}`)
  }
}

async function recentSessions({ tl, userId }: Desk) {
  return await tl.sessions.list({ userId, limit: LISTED })
}

async function listed(desk: Desk) {
  const { items } = await recentSessions(desk)
  const resources = items.map(({ id, task, status, lastActivityAt }) => ({
    uri: `${ROOT}/${id}`,
    name: task === undefined ? `Session ${id}` : line(task, 80),
    description: `${status.state}, last ${lastActivityAt}`,
    mimeType: 'text/markdown',
  }))
  return { resources }
}

async function idsLike(desk: Desk, value: string): Promise<string[]> {
  const { items } = await recentSessions(desk)
  return items.map(({ id }) => id).filter((id) => id.startsWith(value.toLowerCase()))
}
