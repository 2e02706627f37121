import type { Sessions, Users } from '../api.ts'
import { isObject, type Json } from '../domain/json.ts'
import type { SessionRecord } from '../domain/record.ts'
import { parse } from '../features/kernel/parse.ts'
import { purgeUserInput } from '../features/purge/schema.ts'
import { activeScope, listSessions } from '../features/sessions/schema.ts'
import { uuid7 } from '../ids.ts'
import { encodeSegment, queryString, sessionPath } from './path.ts'
import { toJson } from './request.ts'
import { type Client, remoteSession } from './session.ts'

export function remoteSessions(client: Client): Sessions {
  const { connection } = client
  return {
    create: async (input) => {
      // an id makes the call safe to retry
      const { id = uuid7() } = input ?? {}
      const body = isObject(input as unknown as Json) ? { ...input, id } : input
      return remoteSession(client, await connection.post<SessionRecord>('/sessions', toJson(body)))
    },
    getOrCreate: async (input) =>
      remoteSession(client, await connection.post<SessionRecord>('/sessions?getOrCreate=true', toJson(input))),
    active: async (scope) => {
      parse(activeScope, scope)
      const record = await connection.get<SessionRecord | undefined>('/sessions/active', scope)
      return record === undefined ? undefined : remoteSession(client, record)
    },
    get: async (id) => remoteSession(client, await connection.get<SessionRecord>(sessionPath(id))),
    list: async (query = {}) => {
      parse(listSessions, query)
      return await connection.get('/sessions', query)
    },
    // not retried: the second receipt would count nothing
    purge: async (id) => await connection.request({ method: 'DELETE', path: sessionPath(id) }),
  }
}

export function remoteUsers({ connection }: Client): Users {
  return {
    purge: async (userId, options = {}) => {
      parse(purgeUserInput, { ...options, userId })
      const path = `/users/${encodeSegment(userId, 'userId')}${queryString(options)}`
      return await connection.request({ method: 'DELETE', path })
    },
  }
}
