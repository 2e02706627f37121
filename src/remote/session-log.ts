import type { AppendOptions, Session } from '../api.ts'
import type { SessionEvent } from '../domain/event.ts'
import type { Message } from '../domain/message.ts'
import { parse } from '../features/kernel/parse.ts'
import { appendOptions, eventsQuery, recentOptions } from '../features/log/schema.ts'
import { messagesQuery } from '../features/messages/schema.ts'
import { uuid7 } from '../ids.ts'
import type { Connection } from './connection.ts'
import { read, write } from './path.ts'
import { toJson } from './request.ts'
import { tailEvents } from './tail.ts'

type Calls = 'record' | 'append' | 'events' | 'recent' | 'tail' | 'at' | 'addMessage' | 'messages' | 'clear'

/** The log of a session and what was said in it. */
export function logCalls(connection: Connection, path: string): Pick<Session, Calls> {
  return {
    record: () => read(connection, path),
    append: (events, options) => append(connection, `${path}/events`, 'events', events, options),
    events: async (query = {}) => {
      parse(eventsQuery, query)
      return (await read<Items<SessionEvent>>(connection, `${path}/events`, query)).items
    },
    recent: async (options = {}) => {
      parse(recentOptions, options)
      return await read(connection, `${path}/recent`, options)
    },
    tail: (options) => tailEvents(connection, path, options),
    // as text 1 and '1' would be the same
    at: (sequence) => read(connection, `${path}/at/${typeof sequence === 'number' ? sequence : 'none'}`),
    addMessage: (message, options) => append(connection, `${path}/messages`, 'messages', message, options),
    // one route behind both signatures: the format decides what comes back
    messages: (async (query: object = {}) => {
      const { format } = parse(messagesQuery, query)
      const { items, messages } = await read<Partial<Items<Message>> & { messages?: unknown }>(
        connection,
        `${path}/messages`,
        query,
      )
      return format === undefined ? items : messages
    }) as Session['messages'],
    clear: async (options) => await write(connection, 'DELETE', `${path}/messages`, undefined, options),
  }
}

interface Items<T> {
  items: T[]
}

/** Adds at the end of the log; `list` is what the caller knows several of them as. */
async function append(
  connection: Connection,
  path: string,
  list: 'events' | 'messages',
  given: unknown,
  options: AppendOptions = {},
): Promise<SessionEvent[]> {
  const { idempotencyKey: key = uuid7(), expectedSequence } = parse(appendOptions, options)
  const text = Array.isArray(given) ? toJson(given, list, -1) : toJson(given)
  const condition = expectedSequence === undefined ? '' : `,"expectedSequence":${expectedSequence}`
  const body = `{"${list}":${text}${condition}}`
  return (await connection.request<Items<SessionEvent>>({ method: 'POST', path, key, body })).items
}
