import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Server } from '../../src/serve.ts'
import { send } from '../attacks/target.ts'
import { startServer, tokenOf } from '../servers/http.ts'

let server: Server
let token: string
let session: string
beforeEach(async () => {
  server = await startServer({ url: 'memory:', limits: { streamsPerCaller: 1 } })
  token = await tokenOf({ tenant: 'acme', sub: 'ada' })
  session = (await server.tl.sessions.create({ userId: 'ada', tenant: 'acme' })).id
})
afterEach(() => server.close())

const get = (path: string) => send(server.url, 'GET', path, { token })
/** Value of a metric. */
async function figure(line: string): Promise<number> {
  const { text } = await get('/metrics')
  return Number(
    text
      .split('\n')
      .find((one) => one.startsWith(`${line} `))
      ?.slice(line.length),
  )
}

describe('responses', () => {
  it.each(['/v1', '/v1/sessions', '/v1/nothing', '/nothing', '/v1/sessions/x', '/healthz', '/readyz', '/metrics'])(
    'of %s are neither stored nor guessed',
    async (path) => {
      const { headers } = await get(path)
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
    },
  )

  it('of streams and refused callers neither', async () => {
    const refused = await send(server.url, 'GET', '/v1')
    expect([refused.status, refused.headers['cache-control']]).toEqual([401, 'no-store'])
    const leaving = new AbortController()
    const url = `${server.url}/v1/sessions/${session}/stream`
    const headers = { authorization: `Bearer ${token}` }
    const stream = await fetch(url, { headers, signal: leaving.signal })
    expect(stream.headers.get('cache-control')).toBe('no-store')
    leaving.abort()
  })
})

describe('the document of the API', () => {
  it('is the same text each time', async () => {
    const [first, again] = [await get('/openapi.json'), await get('/openapi.json')]
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8')
    expect((first.body as { openapi: string }).openapi).toBe('3.1.0')
    expect(again.text).toBe(first.text)
  })
})

describe('the metrics', () => {
  it('tell readiness, the heap limit, and refusals by limit from 0 on', async () => {
    expect(await figure('throughline_ready')).toBe(1)
    expect(await figure('throughline_heap_limit_bytes')).toBeGreaterThan(2 ** 20)
    expect(await figure('throughline_http_refusals_total{limit="streamsPerCaller"}')).toBe(0)
    const leaving = new AbortController()
    const url = `${server.url}/v1/sessions/${session}/stream`
    const headers = { authorization: `Bearer ${token}` }
    const first = await fetch(url, { headers, signal: leaving.signal })
    expect([first.status, (await fetch(url, { headers })).status]).toEqual([200, 429])
    const refused = () => figure('throughline_http_refusals_total{limit="streamsPerCaller"}')
    await expect.poll(refused, { timeout: 10_000 }).toBe(1)
    leaving.abort()
  })
})
