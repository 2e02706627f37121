import type { Conversations, Outcome, Resumed } from '../api.ts'
import { conversation, incoming, resumption } from '../features/boundary/schema.ts'
import { commitsQuery } from '../features/compaction/schema.ts'
import { parse } from '../features/parse.ts'
import { type Call, segment } from './request.ts'
import { type Client, sessionOf } from './session.ts'
import { keyFor, read } from './writing.ts'

/** The sessions that an outcome names. */
interface Named {
  sessionId?: string
  endedId?: string
}

/** What messages do, and how conversations go on after a pause. What was observed in them goes along. */
export function conversationsOf(client: Client): Conversations {
  const { connection, staged, turns } = client
  const pathOf = (id: string) => `/conversations/${segment(id, 'conversationId')}`
  const send = async <T>(
    id: string,
    below: string,
    body: object,
    how: Pick<Call, 'key' | 'repeatable'>,
  ): Promise<T> => {
    const call: Call = { method: 'POST', path: `${pathOf(id)}/${below}`, ...how }
    return shown(client, id, await staged.sendAll<Named>(connection, id, call, body)) as T
  }
  return {
    handle: async (id, message, options) => {
      const { userId, chatmode } = parse(incoming, { ...message, conversationId: id })
      const key = keyFor(options)
      // what was observed goes with the message that came first, and so that one has to arrive first
      const turn = JSON.stringify([id, userId, chatmode, message.tenant])
      return await turns.take(turn, () => send<Outcome>(id, 'messages', message, { key }))
    },
    resume: async (id, scope) => {
      parse(resumption, { ...scope, conversationId: id })
      return await send<Resumed>(id, 'resume', scope, { repeatable: true })
    },
    decline: async (id, scope, options) => {
      parse(conversation, { ...scope, conversationId: id })
      return await send<Resumed>(id, 'decline', scope, { key: keyFor(options) })
    },
    commits: async (id, options = {}) => {
      parse(commitsQuery, { ...options, conversationId: id })
      return await read(connection, `${pathOf(id)}/commits`, options)
    },
  }
}

function shown<T extends Named>(client: Client, conversationId: string, { sessionId, endedId, ...rest }: T) {
  return {
    ...rest,
    ...(sessionId !== undefined && { session: sessionOf(client, { id: sessionId, conversationId }) }),
    ...(endedId !== undefined && { ended: sessionOf(client, { id: endedId, conversationId }) }),
  }
}
