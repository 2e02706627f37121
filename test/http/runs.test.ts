import { afterEach, describe, expect, it } from 'vitest'
import type { ServeOptions, Server } from '../../src/serve.ts'
import { startServer, tokenOf } from '../servers/http.ts'
import { expectProblem } from './send.ts'

let closing: Server[] = []
afterEach(async () => {
  await Promise.all(closing.map((server) => server.close()))
  closing = []
})

async function started(options: Partial<ServeOptions> = {}): Promise<Server> {
  const server = await startServer({ url: 'memory:', ...options })
  closing.push(server)
  return server
}

const ADA = { tenant: 'acme', sub: 'ada' }

async function post(
  { url }: Server,
  path: string,
  body: unknown,
  { signal, headers, as = ADA }: { signal?: AbortSignal; headers?: Record<string, string>; as?: typeof ADA } = {},
) {
  const response = await fetch(`${url}/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${await tokenOf(as)}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
    ...(signal && { signal }),
  })
  const text = await response.text()
  const type = response.headers.get('content-type') ?? ''
  return { status: response.status, type, headers: response.headers, text }
}

const forever = { worker: 'w', waitMs: 25_000 }

/** Waits until this many calls wait. */
async function untilWaiting({ url }: Server, count: number): Promise<void> {
  const streams = async () => /^throughline_http_streams (\d+)/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]
  await expect.poll(streams, { timeout: 10_000 }).toBe(String(count))
}

const newSession = ({ tl }: Server, userId = 'ada') => tl.sessions.create({ tenant: 'acme', userId })

describe('a call that waits', () => {
  it('does not count as a request', async () => {
    const server = await started({ limits: { requests: 4 } })
    const leaving = new AbortController()
    const claims: Promise<unknown>[] = []
    while (claims.length < 6) {
      claims.push(post(server, '/claim', forever, { signal: leaving.signal }).catch(() => 'gone'))
      await untilWaiting(server, claims.length)
    }
    expect((await post(server, '/sessions', { userId: 'ada', chatmode: 'x' })).status).toBe(201)
    leaving.abort()
    expect(new Set(await Promise.all(claims))).toEqual(new Set(['gone']))
  })

  it('ends at once when the server stops', async () => {
    const server = await started({ limits: { stopTimeoutMs: 60_000 } })
    const session = await newSession(server)
    await session.run()
    const claim = post(server, '/claim', forever)
    const wait = post(server, `/sessions/${session.id}/runs`, { onBusy: 'wait' })
    await untilWaiting(server, 2)
    await server.close()
    expect((await claim).status).toBe(204)
    expect(expectProblem(await wait, 'UNAVAILABLE').details).toEqual({ reason: 'stopping' })
  })

  it('gets no run after its caller disconnected', async () => {
    const server = await started()
    const busy = await newSession(server)
    const run = await busy.run()
    const leaving = new AbortController()
    const calls = [
      post(server, '/claim', forever, { signal: leaving.signal }),
      post(server, `/sessions/${busy.id}/runs`, { onBusy: 'wait' }, { signal: leaving.signal }),
    ]
    const gone = Promise.allSettled(calls)
    await untilWaiting(server, 2)
    leaving.abort()
    await gone
    await untilWaiting(server, 0)
    await run.finish()
    const session = await newSession(server)
    expect(JSON.parse((await post(server, '/claim', { worker: 'w' })).text)).toMatchObject({
      sessionId: session.id,
      generation: 1,
    })
    expect(await busy.runs()).toHaveLength(1)
  })

  it('looks once even if it may not wait', async () => {
    const server = await started()
    expect((await post(server, '/claim', { worker: 'w' })).status).toBe(204)
    const { id } = await newSession(server)
    expect(JSON.parse((await post(server, '/claim', { worker: 'w', waitMs: 0 })).text).sessionId).toBe(id)
  })
})

describe('the header Throughline-Run', () => {
  const write = (server: Server, id: string, run: string, as = ADA) =>
    post(
      server,
      `/sessions/${id}/events`,
      { type: 'user_message', content: 'x' },
      { headers: { 'throughline-run': run }, as },
    )

  it('makes a write part of a live run, and refuses it otherwise', async () => {
    const server = await started()
    const session = await newSession(server)
    expectProblem(await write(server, session.id, '1'), 'RUN_LOST')
    await session.run()
    expect((await write(server, session.id, '1')).status).toBe(201)
    const { details } = expectProblem(await write(server, session.id, '2'), 'RUN_LOST')
    expect(details).toEqual({ sessionId: session.id, generation: 2 })
    for (const forged of ['x', '-1', '1.5', '1e3', '9'.repeat(10)]) {
      expectProblem(await write(server, session.id, forged), 'VALIDATION')
    }
    expect((await session.record()).turns).toBe(1)
  })

  it('opens no session of another user or tenant', async () => {
    const server = await started()
    const session = await newSession(server)
    await session.run()
    for (const as of [
      { tenant: 'acme', sub: 'bob' },
      { tenant: 'globex', sub: 'ada' },
    ]) {
      expectProblem(await write(server, session.id, '1', as), 'SESSION_NOT_FOUND')
      expectProblem(await post(server, `/sessions/${session.id}/runs/1/renew`, {}, { as }), 'SESSION_NOT_FOUND')
      expectProblem(await post(server, `/sessions/${session.id}/runs/1/finish`, {}, { as }), 'SESSION_NOT_FOUND')
      expectProblem(await post(server, `/sessions/${session.id}/cancel`, {}, { as }), 'SESSION_NOT_FOUND')
      expect((await post(server, '/claim', { worker: 'w' }, { as })).status).toBe(204)
    }
  })

  it('is checked in the path as well', async () => {
    const server = await started()
    const { id } = await newSession(server)
    for (const forged of ['x', '-1', '1.5', '%00', '9'.repeat(10)]) {
      const { details } = expectProblem(await post(server, `/sessions/${id}/runs/${forged}/finish`, {}), 'VALIDATION')
      expect(details).toEqual({ field: 'generation' })
    }
  })
})
