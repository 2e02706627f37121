import type { Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { codesOf } from '../../src/http/openapi.ts'
import type { Server } from '../../src/serve.ts'
import { startServer } from '../servers/http.ts'
import { usesCache } from './broken-servers.ts'
import { ALL_ROUTES, announceBody, authorization, holdConnection, sampleRequest, sendRaw } from './raw-requests.ts'
import { SAMPLES } from './samples.ts'
import { expectProblem, send } from './send.ts'

const bodied = ALL_ROUTES.filter(({ body }) => body !== undefined)
const keyed = ALL_ROUTES.filter(({ errors }) => errors?.includes('IDEMPOTENCY_MISMATCH'))
const LONG = 'x'.repeat(513)
const BODY = 100_000

describe('any route', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer({ url: 'memory:', limits: { body: BODY } })
  })
  afterAll(() => server.close())

  it.each(ALL_ROUTES)('documents the common errors: $operation', (route) => {
    expect(codesOf(route)).toEqual(
      expect.arrayContaining(['VALIDATION', 'UNAUTHENTICATED', 'TOO_LARGE', 'INTERNAL', 'UNAVAILABLE']),
    )
  })

  it.each(ALL_ROUTES)('requires a token: $operation', async (route) => {
    const { headers: _token, ...sent } = sampleRequest(route)
    const answer = await send(server.url, route, sent)
    expectProblem(answer, 'UNAUTHENTICATED')
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  it.each(ALL_ROUTES)('checks the principal: $operation', async (route) => {
    const as = (principal: string) => sampleRequest(route, { headers: { 'throughline-as': principal } })
    expect(expectProblem(await send(server.url, route, as('tenant=')), 'VALIDATION').details).toEqual({
      field: 'tenant',
    })
    const { details } = expectProblem(await send(server.url, route, as(`tenant=${LONG}`)), 'TOO_LARGE')
    expect(details).toEqual({ field: 'tenant', limit: 512, actual: 513 })
  })

  it.each(bodied)('validates its body: $operation', async (route) => {
    expectProblem(await send(server.url, route, sampleRequest(route, { body: 'nothing' })), 'VALIDATION')
    if (!(route.body instanceof z.ZodObject)) return
    const { body } = SAMPLES[route.operation] ?? {}
    const from = route.operation === 'backfillEnvelopes' ? { from: 'sqlite:none.db' } : {}
    const sent = sampleRequest(route, { body: { ...(body as object), ...from, nonsense: 1 } })
    const { details } = expectProblem(await send(server.url, route, sent), 'VALIDATION')
    expect(details).toEqual({ field: 'nonsense' })
  })

  it.each(ALL_ROUTES.filter(({ query }) => query !== undefined))('validates its query: $operation', async (route) => {
    const query = { ...SAMPLES[route.operation]?.query, nonsense: '1' }
    const { details } = expectProblem(await send(server.url, route, sampleRequest(route, { query })), 'VALIDATION')
    expect(details).toEqual({ field: 'nonsense' })
  })

  it.each(keyed)('validates its idempotency key: $operation', async (route) => {
    const withKey = (key: string) => sampleRequest(route, { headers: { 'idempotency-key': key } })
    const { details } = expectProblem(await send(server.url, route, withKey('')), 'VALIDATION')
    expect(details).toEqual({ field: 'idempotencyKey' })
    const tooLong = expectProblem(await send(server.url, route, withKey(LONG)), 'TOO_LARGE')
    expect(tooLong.details).toEqual({ field: 'idempotencyKey', limit: 512, actual: 513 })
  })

  it.each(bodied)('refuses a body beyond the limit before it has arrived: $operation', async (route) => {
    const { details } = expectProblem(await announceBody(server.url, route, BODY + 1), 'TOO_LARGE')
    expect(details).toEqual({ field: 'body', limit: BODY, actual: BODY + 1 })
  })

  it.each([
    ['GET', '/v1/nothing'],
    ['POST', '/v1/sessions/active'],
    ['GET', '/nothing'],
    ['HEAD', '/healthz'],
  ])('does not answer %s %s', async (method, path) => {
    const response = await fetch(server.url + path, { method, headers: { authorization } })
    expect(response.status).toBe(404)
    if (method === 'HEAD') return
    const { headers } = response
    const answer = { status: 404, type: headers.get('content-type') ?? '', headers, text: await response.text() }
    expect(expectProblem(answer, 'ROUTE_NOT_FOUND').details).toEqual({ method, path })
  })

  const HEAD = `host: localhost\r\nconnection: close\r\nauthorization: ${authorization}\r\n`
  const JSON_TYPE = 'content-type: application/json\r\n'
  const got = (path: string) => `GET ${path} HTTP/1.1\r\n${HEAD}\r\n`
  const posted = (type: string, body: string) =>
    `POST /v1/sessions HTTP/1.1\r\n${HEAD}${type}content-length: ${body.length}\r\n\r\n${body}`
  it.each([
    ['a path that is not percent-encoded', got('/v1/sessions/%zz'), 'path'],
    ['a path of any length', got(`/v1/memories/${'x'.repeat(9000)}`), 'path'],
    ['a body of another type', posted('content-type: text/plain\r\n', '{}'), 'content-type'],
    ['a body of no type', posted('', '{}'), 'content-type'],
    ['half a body', posted(JSON_TYPE, '{"userId"'), 'body'],
    ['a body in another encoding', posted(JSON_TYPE, '"\xff"'), 'body'],
  ])('refuses %s', async (_what, text, field) => {
    const [head = '', body = ''] = (await sendRaw(server.url, Buffer.from(text, 'latin1'))).split('\r\n\r\n')
    const [, status, type] = /^HTTP\/1.1 (\d+)[\s\S]*content-type: ([^\r]+)/.exec(head) ?? []
    const answer = { status: Number(status), type: type ?? '', headers: new Headers(), text: body }
    expect(expectProblem(answer, 'VALIDATION').details).toEqual({ field })
  })

  it.each(ALL_ROUTES.filter(usesCache))('refuses cache operations without a cache: $operation', async (route) => {
    const { details } = expectProblem(await send(server.url, route, sampleRequest(route)), 'VALIDATION')
    expect(details).toEqual({ field: 'cache' })
  })

  it.each([
    ['headers without end', `GET /v1 HTTP/1.1\r\nx: ${'y'.repeat(20_000)}`, 431, 'TOO_LARGE'],
    ['what is no HTTP', 'Good morning\r\n\r\n', 400, 'VALIDATION'],
    [
      'two lengths of one body',
      'POST /v1 HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
      400,
      'VALIDATION',
    ],
  ])('is not reached by %s', async (_what, text, status, code) => {
    const [head, body = ''] = (await sendRaw(server.url, text)).split('\r\n\r\n')
    expect(head).toMatch(new RegExp(`^HTTP/1.1 ${status} [\\s\\S]*content-type: application/problem\\+json`))
    expect(JSON.parse(body)).toEqual({
      type: 'about:blank',
      title: expect.any(String),
      status,
      code,
      detail: expect.any(String),
      details: {},
    })
  })
})

describe('a request that does not end', () => {
  it('is given up', async () => {
    const server = await startServer({ url: 'memory:', limits: { requestTimeoutMs: 100 } })
    try {
      const answer = await sendRaw(server.url, 'GET /v1 HTTP/1.1\r\nhost: localhost\r\n')
      expect(answer).toMatch(/^HTTP\/1.1 408 [\s\S]*content-type: application\/problem\+json[\s\S]*"code":"VALIDATION"/)
    } finally {
      await server.close()
    }
  })
})

describe('a busy server', () => {
  let server: Server
  let held: Socket
  beforeAll(async () => {
    server = await startServer({ url: 'memory:', limits: { requests: 1 } })
    held = await holdConnection(server.url)
  })
  afterAll(async () => {
    held.destroy()
    await server.close()
  })

  it.each(ALL_ROUTES)('says so: $operation', async (route) => {
    const answer = await send(server.url, route, sampleRequest(route))
    expect(expectProblem(answer, 'UNAVAILABLE').details).toEqual({ reason: 'busy' })
    expect(answer.headers.get('retry-after')).toBe('1')
  })
})

describe('a caller with too many streams', () => {
  let server: Server
  const gone = new AbortController()
  beforeAll(async () => {
    server = await startServer({ url: 'memory:', limits: { streamsPerCaller: 1 } })
    const { id } = await server.tl.sessions.create({ userId: 'ada' })
    const url = `${server.url}/v1/sessions/${id}/stream`
    const { status } = await fetch(url, { headers: { authorization }, signal: gone.signal })
    expect(status).toBe(200)
  })
  afterAll(async () => {
    gone.abort()
    await server.close()
  })

  const streams = ALL_ROUTES.filter((route) => codesOf(route).includes('TOO_MANY_STREAMS'))
  it.each(streams)('is refused: $operation', async (route) => {
    expect([route.stream, route.long, route.waits]).toContain(true)
    const sent = sampleRequest(route, { headers: { accept: 'text/event-stream' } })
    const { details } = expectProblem(await send(server.url, route, sent), 'TOO_MANY_STREAMS')
    expect(details).toEqual({ limit: 1 })
  })
})
