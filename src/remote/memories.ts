import type { ForgetSource, Memories, WriteOptions } from '../api.ts'
import { MemoryNotFoundError } from '../domain/errors.ts'
import type { MemoryChange } from '../domain/memory/memory.ts'
import { parse, uuid } from '../features/kernel/parse.ts'
import { forgetSource, listMemories } from '../features/memory/schema.ts'
import type { Connection } from './connection.ts'
import { read, sessionPath, write } from './path.ts'
import { queryString, toJson } from './request.ts'

/** What is remembered of users. */
export function remoteMemories(connection: Connection): Memories {
  return {
    // one route behind both signatures: what is given decides what comes back
    remember: (async (input: unknown, options?: WriteOptions) => {
      if (!Array.isArray(input)) return await write(connection, 'POST', '/memories', toJson(input), options)
      const body = toJson(input, 'memories', -1)
      return (await write<{ items: unknown[] }>(connection, 'POST', '/memories', body, options)).items
    }) as Memories['remember'],
    // not as a GET: a question may be longer than a URL
    search: async (query) =>
      await connection.request({ method: 'POST', path: '/memories/search', body: toJson(query), idempotent: true }),
    get: async (id) => await read(connection, memoryPath(id)),
    list: async (query) => {
      parse(listMemories, query)
      return await read(connection, '/memories', query)
    },
    corroborate: async (id, evidence = {}, options) =>
      await write(connection, 'POST', `${memoryPath(id)}/corroborate`, toJson(evidence), options),
    contradict: async (id, evidence = {}, options) =>
      await write(connection, 'POST', `${memoryPath(id)}/contradict`, toJson(evidence), options),
    history: async (id) => (await read<{ items: MemoryChange[] }>(connection, `${memoryPath(id)}/history`)).items,
    forget: async (what: string | ForgetSource, options?: WriteOptions) => {
      if (typeof what === 'string') return await write(connection, 'DELETE', memoryPath(what), undefined, options)
      parse(forgetSource, what)
      return await write(connection, 'DELETE', `/memories${queryString(what)}`, undefined, options)
    },
    extract: async (sessionId) =>
      await connection.request({ method: 'POST', path: `${sessionPath(sessionId)}/extract`, idempotent: true }),
  }
}

/** Path of a memory; what cannot be one is not asked for. */
function memoryPath(id: unknown): string {
  const known = uuid().safeParse(id)
  if (!known.success) throw new MemoryNotFoundError(String(id).slice(0, 64))
  return `/memories/${known.data}`
}
