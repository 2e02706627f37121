import type { Conversations, Outcome, Resumed } from '../api.ts'
import type { Scope } from '../domain/record.ts'
import { commitsQuery } from '../features/compaction/schema.ts'
import { conversation, incoming, resumption } from '../features/conversations/schema.ts'
import { parse } from '../features/kernel/parse.ts'
import { idempotencyKeyOf, read } from './path.ts'
import { type Call, encodeSegment } from './request.ts'
import { resolveScope, scopeKey } from './scope.ts'
import { type Client, remoteSession } from './session.ts'

/** The sessions that an outcome names. */
interface SessionIds {
  sessionId?: string
  endedId?: string
}

/** What messages do, and how conversations go on after a pause. What was observed in them goes along. */
export function remoteConversations(client: Client): Conversations {
  const { connection, principal, observations: staged, messageMutex: turns } = client
  const pathOf = (id: string) => `/conversations/${encodeSegment(id, 'conversationId')}`
  const send = async <T>(
    scope: Scope,
    below: string,
    body: object,
    how: Pick<Call, 'key' | 'idempotent'>,
  ): Promise<T> => {
    const call: Call = { method: 'POST', path: `${pathOf(scope.conversationId)}/${below}`, ...how }
    return withSessions(
      client,
      scope,
      await staged.sendForScope<SessionIds>(connection, scopeKey(scope), call, body),
    ) as T
  }
  return {
    handle: async (id, message, options) => {
      const scope = resolveScope(principal, parse(incoming, { ...message, conversationId: id }))
      const key = idempotencyKeyOf(options)
      // what was observed goes with the message that came first, and so that one has to arrive first
      return await turns.run(scopeKey(scope), () => send<Outcome>(scope, 'messages', message, { key }))
    },
    resume: async (id, given) => {
      const scope = resolveScope(principal, parse(resumption, { ...given, conversationId: id }))
      return await send<Resumed>(scope, 'resume', given, { idempotent: true })
    },
    decline: async (id, given, options) => {
      const scope = resolveScope(principal, parse(conversation, { ...given, conversationId: id }))
      return await send<Resumed>(scope, 'decline', given, { key: idempotencyKeyOf(options) })
    },
    commits: async (id, options = {}) => {
      parse(commitsQuery, { ...options, conversationId: id })
      return await read(connection, `${pathOf(id)}/commits`, options)
    },
  }
}

function withSessions<T extends SessionIds>(client: Client, scope: Scope, { sessionId, endedId, ...rest }: T) {
  return {
    ...rest,
    ...(sessionId !== undefined && { session: remoteSession(client, { ...scope, id: sessionId }) }),
    ...(endedId !== undefined && { ended: remoteSession(client, { ...scope, id: endedId }) }),
  }
}
