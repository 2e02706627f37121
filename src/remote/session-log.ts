import type { AppendOptions, Branch, Session } from '../api.ts'
import type { SessionEvent } from '../domain/event.ts'
import type { Message } from '../domain/message.ts'
import { defined } from '../domain/optional.ts'
import { parse } from '../features/kernel/parse.ts'
import { appendOptions, eventsQuery, recentOptions } from '../features/log/schema.ts'
import { messagesQuery } from '../features/messages/schema.ts'
import { branchesQuery } from '../features/rewind/schema.ts'
import { uuid7 } from '../ids.ts'
import type { Connection } from './connection.ts'
import { toJson } from './request.ts'
import { tailEvents } from './tail.ts'

type LogCall =
  | 'record'
  | 'append'
  | 'events'
  | 'recent'
  | 'tail'
  | 'at'
  | 'addMessage'
  | 'messages'
  | 'clear'
  | 'branches'

/** Calls on the log and the messages of a session. */
export function logCalls(connection: Connection, path: string): Pick<Session, LogCall> {
  return {
    record: () => connection.get(path),
    append: (events, options) => append(connection, `${path}/events`, 'events', events, options),
    events: async (query = {}) => {
      parse(eventsQuery, query)
      return (await connection.get<Items<SessionEvent>>(`${path}/events`, query)).items
    },
    recent: async (options = {}) => {
      parse(recentOptions, options)
      return await connection.get(`${path}/recent`, options)
    },
    tail: (options) => tailEvents(connection, path, options),
    // in a path '1' would pass for 1
    at: (sequence) => connection.get(`${path}/at/${typeof sequence === 'number' ? sequence : 'none'}`),
    addMessage: (message, options) => append(connection, `${path}/messages`, 'messages', message, options),
    // one route for both signatures: the format decides what it returns
    messages: (async (query: object = {}) => {
      const { format, limit, agent } = parse(messagesQuery, query)
      if (format !== undefined && limit !== undefined) {
        return (await connection.get<{ messages: unknown }>(`${path}/messages`, query)).messages
      }
      const { items } = await connection.get<Items<Message>>(`${path}/messages`, defined({ limit, agent }))
      if (format === undefined) return items
      // the server converts only as many messages as it can hold
      const { FORMATS } = await import('../domain/formats/formats.ts')
      return FORMATS[format].to(items)
    }) as Session['messages'],
    clear: async (options) => await connection.write('DELETE', `${path}/messages`, undefined, options),
    branches: async (query = {}) => {
      parse(branchesQuery, query)
      return (await connection.get<Items<Branch>>(`${path}/branches`, query)).items
    },
  }
}

interface Items<T> {
  items: T[]
}

/** `list` names the items in the body and in errors. */
async function append(
  connection: Connection,
  path: string,
  list: 'events' | 'messages',
  input: unknown,
  options: AppendOptions = {},
): Promise<SessionEvent[]> {
  const { idempotencyKey: key = uuid7(), expectedSequence } = parse(appendOptions, options)
  const text = Array.isArray(input) ? toJson(input, list, -1) : toJson(input)
  const condition = expectedSequence === undefined ? '' : `,"expectedSequence":${expectedSequence}`
  const body = `{"${list}":${text}${condition}}`
  return (await connection.request<Items<SessionEvent>>({ method: 'POST', path, key, body })).items
}
