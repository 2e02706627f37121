import { rm } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { codesOf } from '../../src/http/openapi.ts'
import type { Route } from '../../src/http/route.ts'
import { ROUTES } from '../../src/http/routes.ts'
import type { Server } from '../../src/serve.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { startServer } from '../servers/http.ts'
import { startRedis } from '../servers/redis.ts'
import { createLegacyFolder, dropTables, startBrokenServer, usesCache } from './broken-servers.ts'
import { ALL_ROUTES, authorization, sampleRequest } from './raw-requests.ts'
import { requestFor, SAMPLES, type TestRequest } from './samples.ts'
import { expectProblem, send, urlOf } from './send.ts'

const routeOf = (operation: string) => ROUTES.find((route) => route.operation === operation) as Route

describe('a store that fails', () => {
  // without its tables SQLite still says what it is
  const stored = ALL_ROUTES.filter((route) => !usesCache(route) && route.operation !== 'health')
  const sent = new Map<string, TestRequest>()
  let folder: string
  let server: Server
  beforeAll(async () => {
    const made = await createLegacyFolder()
    folder = made.folder
    server = await startServer({ url: `sqlite:${folder}/sessions.db`, durability: 'relaxed', index: false })
    const world = { tl: server.tl, legacy: made.legacy, send: () => Promise.reject(new Error('not used')) }
    for (const { operation, path } of stored) {
      sent.set(operation, await requestFor(world, path, SAMPLES[operation] ?? {}))
    }
    dropTables(`${folder}/sessions.db`)
  })
  afterAll(async () => {
    await server.close()
    await rm(folder, { recursive: true })
  })

  it.each(stored)('is reported as STORAGE: $operation', async (route) => {
    const answer = await send(server.url, route, { ...sent.get(route.operation), headers: { authorization } })
    if (!codesOf(route).includes('STORAGE')) expect(answer.status).toBe(200)
    else expect(expectProblem(answer, 'STORAGE').details).toEqual({ store: 'sqlite' })
  })

  it('is reported on Postgres, as is a cache failure', async () => {
    const databases = await databasesOf(inject('postgres')[0]?.url ?? '')
    const database = await databases.create()
    const redis = await startRedis()
    const cached = await startServer({ url: database.url(SERVING), cache: redis.url, index: false })
    try {
      await database.destroy()
      for (const route of [routeOf('warmEnvelopes'), routeOf('health')]) {
        const { details } = expectProblem(await send(cached.url, route, sampleRequest(route)), 'STORAGE')
        expect(details).toEqual({ store: 'postgres' })
      }
      await redis.crash()
      const scan = urlOf(cached.url, routeOf('cachedEnvelopes').path, {})
      const stream = await fetch(scan, { headers: { authorization } })
      expect(await stream.text()).toMatch(/^event: problem\ndata: \{.*"code":"STORAGE"/m)
    } finally {
      await cached.close()
      await redis.stop()
      await databases.close()
    }
  })
})

describe('an unexpected error', () => {
  it('is reported without its message, on every route', async () => {
    const broken = await startBrokenServer()
    try {
      for (const route of ALL_ROUTES) {
        const answer = await send(broken.url, route, sampleRequest(route))
        const { details, instance } = expectProblem(answer, 'INTERNAL')
        expect(details).toEqual({ requestId: instance })
        expect(answer.text).not.toContain(broken.words)
      }
    } finally {
      await broken.close()
    }
  })

  it('is reported for a failing tokenizer', async () => {
    const count = () => {
      throw new RangeError('words of the tokenizer')
    }
    const server = await startServer({ url: 'memory:', tokenizer: { name: 'broken', count } })
    try {
      const session = await server.tl.sessions.create({ userId: 'ada' })
      await session.append({ type: 'user_message', content: 'Good morning' })
      const recent = routeOf('recentEvents')
      const sent = sampleRequest(recent, { params: { id: session.id }, query: { maxTokens: '10' } })
      expect(expectProblem(await send(server.url, recent, sent), 'INTERNAL').detail).not.toContain('tokenizer')
    } finally {
      await server.close()
    }
  })
})
