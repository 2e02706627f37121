import type { Conversations, Outcome, Resumed } from '../api.ts'
import { defined } from '../domain/optional.ts'
import type { Scope } from '../domain/record.ts'
import { commitsQuery } from '../features/compaction/schema.ts'
import { conversation, incoming, resumption } from '../features/conversations/schema.ts'
import { parse } from '../features/kernel/parse.ts'
import { idempotencyKeyOf } from './connection.ts'
import { encodeSegment } from './path.ts'
import type { Call } from './request.ts'
import { resolveScope, scopeKey } from './scope.ts'
import { type Client, remoteSession } from './session.ts'

/** Conversation calls; each carries the buffered observations of its scope. */
export function remoteConversations(client: Client): Conversations {
  const { connection, principal, observations, messageMutex } = client
  const pathOf = (id: string) => `/conversations/${encodeSegment(id, 'conversationId')}`
  const send = async <T>(scope: Scope, action: string, body: object, retry: Pick<Call, 'key' | 'idempotent'>) => {
    const call: Call = { method: 'POST', path: `${pathOf(scope.conversationId)}/${action}`, ...retry }
    const outcome = await observations.sendForScope<SessionIds>(connection, scopeKey(scope), call, body)
    return withSessions(client, scope, outcome) as T
  }
  return {
    handle: async (id, message, options) => {
      const scope = resolveScope(principal, parse(incoming, { ...message, conversationId: id }))
      const key = idempotencyKeyOf(options)
      // observations travel with the first message, so that one has to arrive first
      return await messageMutex.run(scopeKey(scope), () => send<Outcome>(scope, 'messages', message, { key }))
    },
    resume: async (id, options) => {
      const scope = resolveScope(principal, parse(resumption, { ...options, conversationId: id }))
      return await send<Resumed>(scope, 'resume', options, { idempotent: true })
    },
    decline: async (id, input, options) => {
      const scope = resolveScope(principal, parse(conversation, { ...input, conversationId: id }))
      return await send<Resumed>(scope, 'decline', input, { key: idempotencyKeyOf(options) })
    },
    commits: async (id, options = {}) => {
      parse(commitsQuery, { ...options, conversationId: id })
      return await connection.get(`${pathOf(id)}/commits`, options)
    },
  }
}

/** Ids in a response, which the caller gets as sessions. */
interface SessionIds {
  sessionId?: string
  endedId?: string
}

function withSessions<T extends SessionIds>(client: Client, scope: Scope, { sessionId, endedId, ...rest }: T) {
  const sessionFor = (id: string | undefined) =>
    id === undefined ? undefined : remoteSession(client, { ...scope, id })
  return { ...rest, ...defined({ session: sessionFor(sessionId), ended: sessionFor(endedId) }) }
}
