import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Server, serve } from '../../src/serve.ts'
import { expectProblem, send, sendRaw, type TestResponse } from './target.ts'

const KEYS = ['THROUGHLINE_JWT_SECRET', 'THROUGHLINE_JWKS_URL', 'THROUGHLINE_JWT_PUBLIC_KEY', 'THROUGHLINE_HOST']
const kept = KEYS.map((name) => [name, process.env[name]] as const)

let server: Server
let port: string
beforeAll(async () => {
  for (const name of KEYS) delete process.env[name]
  server = await serve({ url: 'memory:', port: 0, log: 'silent' })
  port = new URL(server.url).port
})
afterAll(async () => {
  await server.close()
  for (const [name, value] of kept) if (value !== undefined) process.env[name] = value
})

/** A write that must be refused, and a valid request after it. */
async function attempt(headers: Record<string, string>): Promise<TestResponse> {
  const answer = await send(server.url, 'POST', '/v1/sessions', { headers, body: { userId: 'ada' } })
  expect(await server.tl.sessions.list()).toEqual({ items: [] })
  const { body } = await send(server.url, 'GET', '/v1')
  expect(body).toMatchObject({ principal: { tenant: 'local' } })
  return answer
}

describe('a server without a key', () => {
  it.each([
    'evil.example',
    'evil.example:PORT',
    'localhost.evil.example:PORT',
    '127.0.0.1.evil.example:PORT',
    'evil.example#localhost',
    'localhost@evil.example',
    '127.0.0.1@evil.example:PORT',
    '2130706433:PORT',
    '0.0.0.0:PORT',
    '10.0.0.1:PORT',
    '127.1:PORT',
    '[::ffff:10.0.0.1]:PORT',
  ])('refuses the host %j', async (host) => {
    expectProblem(await attempt({ host: host.replace('PORT', port) }), 401, 'UNAUTHENTICATED')
  })

  it.each([
    ['one that is empty', 'GET /v1/sessions HTTP/1.1\r\nhost:\r\nconnection: close\r\n\r\n', 401],
    ['none, in HTTP/1.0', 'GET /v1/sessions HTTP/1.0\r\n\r\n', 401],
    ['none, in HTTP/1.1', 'GET /v1/sessions HTTP/1.1\r\nconnection: close\r\n\r\n', 400],
    ['two', 'GET /v1/sessions HTTP/1.0\r\nhost: evil.example\r\nhost: localhost\r\n\r\n', 401],
  ])('refuses a request whose host is %s', async (_what, request, status) => {
    expect((await sendRaw(server.url, request)).slice(0, 12)).toBe(`HTTP/1.1 ${status}`)
  })

  it.each([
    'https://evil.example',
    'http://evil.example:PORT',
    'http://localhost.evil.example',
    'http://localhost:1',
    'https://127.0.0.1:PORT',
    'http://127.0.0.1',
    'null',
    '',
    'file://',
  ])('refuses a page of the origin %j', async (origin) => {
    expectProblem(await attempt({ origin: origin.replace('PORT', port) }), 401, 'UNAUTHENTICATED')
  })

  it('refuses a preflight request of another site', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'DELETE' }
    const { status, headers: answered } = await send(server.url, 'OPTIONS', '/v1/sessions', { headers })
    expect(status).toBe(404)
    expect(Object.keys(answered).filter((name) => name.startsWith('access-control'))).toEqual([])
  })

  it.each(['127.0.0.1:PORT', 'localhost:PORT', '[::1]:PORT', '127.0.0.2:PORT'])('accepts the host %s', async (host) => {
    const named = host.replace('PORT', port)
    const { status } = await send(server.url, 'GET', '/v1', { headers: { host: named, origin: `http://${named}` } })
    expect(status).toBe(200)
  })

  it('serves only the tenant local, whatever token or tenant is named', async () => {
    const elsewhere = await server.tl.sessions.create({ userId: 'ada', tenant: 'acme' })
    expectProblem(
      await send(server.url, 'GET', `/v1/sessions/${elsewhere.id}`, { token: 'x' }),
      404,
      'SESSION_NOT_FOUND',
    )
    const header = { headers: { 'throughline-as': 'tenant=acme' } }
    expectProblem(await send(server.url, 'GET', '/v1/sessions', header), 400, 'VALIDATION', 'tenant')
    const body = { userId: 'ada', tenant: 'acme' }
    expectProblem(await send(server.url, 'POST', '/v1/sessions', { body }), 400, 'VALIDATION', 'tenant')
    expectProblem(await send(server.url, 'POST', '/v1/intake/pause'), 400, 'VALIDATION', 'principal')
  })

  it.each(['0.0.0.0', '::', '10.0.0.1', 'example.org', '127.0.0.1.example.org', '0', '2130706433'])(
    'does not start on %s',
    async (host) => {
      await expect(serve({ url: 'memory:', port: 0, log: 'silent', host })).rejects.toMatchObject({
        code: 'VALIDATION',
        field: 'host',
      })
    },
  )
})
