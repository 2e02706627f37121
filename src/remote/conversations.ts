import type { Conversations, Outcome, Resumed } from '../api.ts'
import type { Scope } from '../domain/record.ts'
import { commitsQuery } from '../features/compaction/schema.ts'
import { conversation, incoming, resumption } from '../features/conversations/schema.ts'
import { parse } from '../features/kernel/parse.ts'
import { type Call, segment } from './request.ts'
import { scopeFor, scopeKey } from './scope.ts'
import { type Client, sessionOf } from './session.ts'
import { keyFor, read } from './writing.ts'

/** The sessions that an outcome names. */
interface Named {
  sessionId?: string
  endedId?: string
}

/** What messages do, and how conversations go on after a pause. What was observed in them goes along. */
export function conversationsOf(client: Client): Conversations {
  const { connection, principal, staged, turns } = client
  const pathOf = (id: string) => `/conversations/${segment(id, 'conversationId')}`
  const send = async <T>(
    scope: Scope,
    below: string,
    body: object,
    how: Pick<Call, 'key' | 'repeatable'>,
  ): Promise<T> => {
    const call: Call = { method: 'POST', path: `${pathOf(scope.conversationId)}/${below}`, ...how }
    return shown(client, scope, await staged.sendAll<Named>(connection, scopeKey(scope), call, body)) as T
  }
  return {
    handle: async (id, message, options) => {
      const scope = scopeFor(principal, parse(incoming, { ...message, conversationId: id }))
      const key = keyFor(options)
      // what was observed goes with the message that came first, and so that one has to arrive first
      return await turns.run(scopeKey(scope), () => send<Outcome>(scope, 'messages', message, { key }))
    },
    resume: async (id, given) => {
      const scope = scopeFor(principal, parse(resumption, { ...given, conversationId: id }))
      return await send<Resumed>(scope, 'resume', given, { repeatable: true })
    },
    decline: async (id, given, options) => {
      const scope = scopeFor(principal, parse(conversation, { ...given, conversationId: id }))
      return await send<Resumed>(scope, 'decline', given, { key: keyFor(options) })
    },
    commits: async (id, options = {}) => {
      parse(commitsQuery, { ...options, conversationId: id })
      return await read(connection, `${pathOf(id)}/commits`, options)
    },
  }
}

function shown<T extends Named>(client: Client, scope: Scope, { sessionId, endedId, ...rest }: T) {
  return {
    ...rest,
    ...(sessionId !== undefined && { session: sessionOf(client, { ...scope, id: sessionId }) }),
    ...(endedId !== undefined && { ended: sessionOf(client, { ...scope, id: endedId }) }),
  }
}
