import { z } from 'zod/mini'
import type { AgentTransition, Session, Throughline } from './api.ts'
import { roundtable } from './domain/agents.ts'
import { type ErrorCode, SessionEndedError, ThroughlineError } from './domain/errors.ts'
import { LIMITS } from './domain/limits.ts'
import { defined } from './domain/optional.ts'
import type { SessionRecord } from './domain/record.ts'
import { name, parse, schema, text } from './features/kernel/parse.ts'

/** What every function of {@link serviceOf} returns. None of them throws. */
export type ServiceResult<T> =
  | { success: true; data: T }
  | { success: false; error: { code: ServiceErrorCode; message: string } }

/** Codes of a {@link ServiceResult}: the error codes of this package, three of them under the usual service names. */
export type ServiceErrorCode =
  | 'NOT_FOUND'
  | 'VALIDATION_ERROR'
  | 'DATABASE_ERROR'
  | 'INTERNAL_ERROR'
  | Exclude<ErrorCode, 'SESSION_NOT_FOUND' | 'VALIDATION' | 'STORAGE'>

/** A message of a {@link SessionResponse}. */
export interface SessionMessage<Agent extends string = string> {
  role: 'user' | 'assistant'
  content: string
  /** The agent that wrote it; only for assistant messages. */
  agentId?: Agent
  timestamp: string
}

/** A session as the service returns it. */
export interface SessionResponse<Agent extends string = string> {
  id: string
  userId: string
  activeAgent: Agent
  /** User and assistant messages of the last turns, oldest first. */
  messages: SessionMessage<Agent>[]
  agentTransitions: Omit<AgentTransition<Agent>, 'sequence'>[]
  createdAt: string
  updatedAt: string
  expiresAt: string | null
}

/** The input of `addMessage`. */
export interface ServiceMessage {
  role: 'user' | 'assistant'
  content: string
  /** A registered agent. @default the active agent, for assistant messages */
  agentId?: string
}

/** How the service starts and returns sessions. */
export interface ServiceOptions {
  /** Milliseconds after which new sessions expire. @default never */
  expiresInMs?: number
  /** Turns and transitions in a {@link SessionResponse}; the log keeps all. @default 200 */
  maxTurns?: number
  /** Characters in one message. @default 32768 */
  maxContent?: number
}

/** The functions of {@link serviceOf}. */
export interface SessionService<Agent extends string = string> {
  /** The user's live session, or a new one. */
  getOrCreateSession(userId: string): Promise<ServiceResult<SessionResponse<Agent>>>
  getSession(sessionId: string, userId: string): Promise<ServiceResult<SessionResponse<Agent>>>
  updateActiveAgent(sessionId: string, userId: string, agent: Agent): Promise<ServiceResult<SessionResponse<Agent>>>
  addMessage(sessionId: string, userId: string, message: ServiceMessage): Promise<ServiceResult<SessionResponse<Agent>>>
  recordTransition(
    sessionId: string,
    userId: string,
    transition: { to: Agent; reason: string },
  ): Promise<ServiceResult<SessionResponse<Agent>>>
  /** Permanently removes the session and everything stored about it. */
  clearSession(sessionId: string, userId: string): Promise<ServiceResult<{ deleted: true }>>
}

const serviceOptions = schema(() =>
  z.strictObject({
    expiresInMs: z.optional(z.int().check(z.minimum(1))),
    maxTurns: z._default(z.int().check(z.minimum(1)), 200),
    maxContent: z._default(z.int().check(z.minimum(1), z.maximum(LIMITS.content)), 32_768),
  }),
)

/**
 * The sessions of a store as functions that take the caller's user id and return a {@link ServiceResult}. A session of
 * another user is not found. Agents are those the store registers, or {@link roundtable} where it registers none.
 */
export function serviceOf<Agent extends string = string>(
  tl: Throughline,
  options: ServiceOptions = {},
): SessionService<Agent> {
  const { expiresInMs, maxTurns, maxContent } = parse(serviceOptions, options)
  const tenant = tl.principal?.tenant ?? 'local'
  const agents: readonly [string, ...string[]] = tl.agents.length > 0 ? (tl.agents as [string]) : roundtable
  const agentId = z.string().check(z.refine((id) => agents.includes(id), `must be one of ${agents.join(', ')}`))
  const messageInput = z.strictObject({
    role: z.enum(['user', 'assistant']),
    content: text(maxContent).check(z.minLength(1)),
    agentId: z.optional(agentId),
  })

  /** The store as this user sees it. A missing id is refused: it would mean every user. */
  const own = (userId: string) => tl.as({ tenant, userId: parse(name, userId, 'userId') })

  /** Switches a stored agent that is no longer registered to the default, and records it. */
  async function withRegisteredAgent(session: Session): Promise<SessionRecord> {
    const record = await session.record()
    if (agents.includes(record.activeAgent)) return record
    const reason = `'${record.activeAgent}' is no longer registered`
    return await session.setActiveAgent(agents[0], { reason, from: record.activeAgent }).catch((error: unknown) => {
      // an ended session stays as it is
      if (error instanceof SessionEndedError) return record
      throw error
    })
  }

  async function show(session: Session): Promise<SessionResponse<Agent>> {
    const [record, { events }, transitions] = await Promise.all([
      session.record(),
      session.recent({ maxTurns }),
      session.transitions(),
    ])
    return {
      id: record.id,
      userId: record.userId,
      activeAgent: record.activeAgent as Agent,
      messages: events
        .filter(({ type, content }) => (type === 'user_message' || type === 'model_message') && content !== '')
        .map((event) => ({
          role: event.type === 'user_message' ? 'user' : 'assistant',
          content: event.content,
          ...(event.agentId !== undefined && { agentId: event.agentId as Agent }),
          timestamp: event.occurredAt ?? event.createdAt,
        })),
      agentTransitions: transitions
        .slice(-maxTurns)
        .map(({ sequence: _, ...transition }) => transition as AgentTransition<Agent>),
      createdAt: record.startedAt,
      updatedAt: record.lastActivityAt,
      expiresAt: record.expiresAt ?? null,
    }
  }

  /** Runs the work on the user's session and returns the session afterwards. */
  function change(
    userId: string,
    sessionId: string,
    work: (session: Session, record: SessionRecord) => Promise<unknown> = async () => {},
  ) {
    return toResult(async () => {
      const session = await own(userId).sessions.get(sessionId)
      await work(session, await withRegisteredAgent(session))
      return await show(session)
    })
  }

  return {
    getOrCreateSession: (userId) =>
      toResult(async () => {
        const expiry = expiresInMs === undefined ? {} : { expiresInMs }
        const session = await own(userId).sessions.getOrCreate({ userId, agent: agents[0], ...expiry })
        await withRegisteredAgent(session)
        return await show(session)
      }),
    getSession: (sessionId, userId) => change(userId, sessionId),
    updateActiveAgent: (sessionId, userId, agent) =>
      change(userId, sessionId, (session) => session.setActiveAgent(parse(agentId, agent, 'agent'))),
    addMessage: (sessionId, userId, input) =>
      change(userId, sessionId, async (session, { activeAgent }) => {
        const { role, content, agentId: given } = parse(messageInput, input)
        const speaker = given ?? (role === 'assistant' ? activeAgent : undefined)
        await session.addMessage(defined({ role, content, agentId: speaker }))
      }),
    recordTransition: (sessionId, userId, transition) =>
      change(userId, sessionId, (session) => {
        parse(agentId, transition.to, 'to')
        return session.recordTransition(transition)
      }),
    clearSession: (sessionId, userId) =>
      toResult(async () => {
        const { sessions } = own(userId)
        await sessions.purge((await sessions.get(sessionId)).id)
        return { deleted: true as const }
      }),
  }
}

async function toResult<T>(work: () => Promise<T>): Promise<ServiceResult<T>> {
  try {
    return { success: true, data: await work() }
  } catch (error) {
    return { success: false, error: problem(error) }
  }
}

function problem(error: unknown): { code: ServiceErrorCode; message: string } {
  if (!(error instanceof ThroughlineError)) return { code: 'INTERNAL_ERROR', message: 'An unexpected error occurred' }
  const { code, message } = error
  switch (code) {
    case 'SESSION_NOT_FOUND':
      return { code: 'NOT_FOUND', message: 'Session not found' }
    case 'VALIDATION':
      return { code: 'VALIDATION_ERROR', message }
    case 'STORAGE':
      return { code: 'DATABASE_ERROR', message }
    default:
      return { code, message }
  }
}
