import type { ForgetSource, Memories, WriteOptions } from '../api.ts'
import type { MemoryChange } from '../domain/memory/memory.ts'
import { parse } from '../features/kernel/parse.ts'
import { forgetSource, listMemories } from '../features/memory/schema.ts'
import type { Connection } from './connection.ts'
import { memoryPath, queryString, sessionPath } from './path.ts'
import { toJson } from './request.ts'

export function remoteMemories(connection: Connection): Memories {
  return {
    // one route for both signatures: the input decides what it returns
    remember: (async (input: unknown, options?: WriteOptions) => {
      if (!Array.isArray(input)) return await connection.write('POST', '/memories', toJson(input), options)
      const body = toJson(input, 'memories', -1)
      return (await connection.write<{ items: unknown[] }>('POST', '/memories', body, options)).items
    }) as Memories['remember'],
    // POST because a question may be longer than a URL
    search: async (query) => await connection.post('/memories/search', toJson(query)),
    get: async (id) => await connection.get(memoryPath(id)),
    list: async (query) => {
      parse(listMemories, query)
      return await connection.get('/memories', query)
    },
    corroborate: async (id, evidence = {}, options) =>
      await connection.write('POST', `${memoryPath(id)}/corroborate`, toJson(evidence), options),
    contradict: async (id, evidence = {}, options) =>
      await connection.write('POST', `${memoryPath(id)}/contradict`, toJson(evidence), options),
    history: async (id) => (await connection.get<{ items: MemoryChange[] }>(`${memoryPath(id)}/history`)).items,
    forget: async (target: string | ForgetSource, options?: WriteOptions) => {
      if (typeof target === 'string') return await connection.write('DELETE', memoryPath(target), undefined, options)
      parse(forgetSource, target)
      return await connection.write('DELETE', `/memories${queryString(target)}`, undefined, options)
    },
    extract: async (sessionId) => await connection.post(`${sessionPath(sessionId)}/extract`),
  }
}
