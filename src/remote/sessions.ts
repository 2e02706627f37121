import type { Sessions, Users } from '../api.ts'
import { isObject, type Json } from '../domain/json.ts'
import type { SessionRecord } from '../domain/record.ts'
import { parse } from '../features/kernel/parse.ts'
import { purgeUserInput } from '../features/purge/schema.ts'
import { activeScope, listSessions } from '../features/sessions/schema.ts'
import { uuid7 } from '../ids.ts'
import { read, sessionPath } from './path.ts'
import { encodeSegment, queryString, toJson } from './request.ts'
import { type Client, remoteSession } from './session.ts'

/** How sessions are started and found. */
export function remoteSessions(client: Client): Sessions {
  const { connection } = client
  return {
    create: async (input) => {
      // with an id it can be repeated
      const { id = uuid7() } = input ?? {}
      const body = isObject(input as unknown as Json) ? { ...input, id } : input
      const call = { method: 'POST', path: '/sessions', body: toJson(body), idempotent: true } as const
      return remoteSession(client, await connection.request<SessionRecord>(call))
    },
    getOrCreate: async (input) => {
      const call = {
        method: 'POST',
        path: '/sessions?getOrCreate=true',
        body: toJson(input),
        idempotent: true,
      } as const
      return remoteSession(client, await connection.request<SessionRecord>(call))
    },
    active: async (scope) => {
      parse(activeScope, scope)
      const record = await read<SessionRecord | undefined>(connection, '/sessions/active', scope)
      return record === undefined ? undefined : remoteSession(client, record)
    },
    get: async (id) => remoteSession(client, await read<SessionRecord>(connection, sessionPath(id))),
    list: async (query = {}) => {
      parse(listSessions, query)
      return await read(connection, '/sessions', query)
    },
    // not repeated: the second receipt would count nothing
    purge: async (id) => await connection.request({ method: 'DELETE', path: sessionPath(id) }),
  }
}

/** What concerns a person rather than a session. */
export function remoteUsers({ connection }: Client): Users {
  return {
    purge: async (userId, options = {}) => {
      parse(purgeUserInput, { ...options, userId })
      return await connection.request({
        method: 'DELETE',
        path: `/users/${encodeSegment(userId, 'userId')}${queryString(options)}`,
      })
    },
  }
}
