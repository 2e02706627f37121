import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ErrorCode } from '../../src/domain/errors.ts'
import { codesOf } from '../../src/http/openapi.ts'
import { ROUTES } from '../../src/http/routes.ts'
import type { Server } from '../../src/serve.ts'
import { operatorToken, startServer } from '../servers/http.ts'
import { createLegacyFolder, usesCache } from './broken-servers.ts'
import { ERROR_REQUESTS, MALFORMED_REQUESTS, ROUTE_ERROR_REQUESTS } from './error-requests.ts'
import { SAMPLES, type World } from './samples.ts'
import { codeOf, expectProblem, send } from './send.ts'

const pairs = ROUTES.flatMap((route) =>
  (route.errors ?? []).map((code) => ({ operation: route.operation, code, route })),
)

/** Routes that work on the cache need Postgres, which has its own tests of them. */
const routes = ROUTES.filter((route) => !usesCache(route))
const stumbles = Object.entries(MALFORMED_REQUESTS).flatMap(([which, { maker, fits }]) =>
  routes.filter(fits).map((route) => ({ operation: route.operation, which, maker, route })),
)

let folder: string
let server: Server
let world: World

beforeAll(async () => {
  const made = await createLegacyFolder()
  folder = made.folder
  server = await startServer({ url: `sqlite:${folder}/sessions.db`, durability: 'relaxed', index: false })
  const headers = { authorization: `Bearer ${await operatorToken()}` }
  world = {
    tl: server.tl,
    legacy: made.legacy,
    send: (route, sent) => send(server.url, route, { ...sent, headers: { ...headers, ...sent.headers } }),
  }
})

afterAll(async () => {
  await server.close()
  await rm(folder, { recursive: true })
})

afterEach(async () => void (await world.tl.intake.resume()))

describe('every error that a route documents', () => {
  it('has exactly one request that provokes it', () => {
    const documented = pairs.map(({ operation, code }) => `${operation} ${code}`)
    const made = (pair: string) => ROUTE_ERROR_REQUESTS[pair] ?? ERROR_REQUESTS[pair.split(' ')[1] as ErrorCode]
    expect(documented.filter((pair) => made(pair) === undefined)).toEqual([])
    expect(Object.keys(ROUTE_ERROR_REQUESTS).filter((pair) => !documented.includes(pair))).toEqual([])
    expect(Object.keys(SAMPLES).toSorted()).toEqual(['about', ...ROUTES.map(({ operation }) => operation)].toSorted())
  })

  it.each(pairs)('occurs: $operation answers $code', async ({ operation, code, route }) => {
    const maker = ROUTE_ERROR_REQUESTS[`${operation} ${code}`] ?? ERROR_REQUESTS[code]
    const sent = (await maker?.(world, route)) ?? {}
    const problem = expectProblem(await world.send(route, sent), code)
    expect(Object.keys(problem.details).length).toBeGreaterThan(0)
  })
})

describe('the example of the docs', () => {
  it('matches the response', async () => {
    const page = await readFile(join(import.meta.dirname, '../../docs/errors.md'), 'utf8')
    const [, id = '', body = ''] = /```http\nPOST \/v1\/sessions\/(\S+)\/events\n.*\n\n(.*)\n```/.exec(page) ?? []
    const [, shown = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
    await world.tl.sessions.create({ userId: 'ada', id })
    const sent = { params: { id }, body: JSON.parse(body) }
    const answer = await world.send({ method: 'POST', path: '/sessions/{id}/events' }, sent)
    const { instance, ...problem } = expectProblem(answer, 'SEQUENCE_CONFLICT')
    expect(JSON.parse(shown)).toEqual({ ...problem, instance: expect.any(String) })
    expect(instance).toHaveLength(36)
  })
})

describe('a request', () => {
  it.each(stumbles)('$which gets only documented errors from $operation', async ({ which, maker, route }) => {
    const answer = await world.send(route, await maker(world, route))
    const code = codeOf(answer)
    if (code === undefined) {
      const good = [route.status ?? 200, ...(route.mayBeEmpty || !route.response ? [204] : [])]
      expect(good).toContain(answer.status)
    } else {
      expect(which).not.toBe('that is as it should be')
      expectProblem(answer, code)
      expect(codesOf(route)).toContain(code)
    }
  })
})
