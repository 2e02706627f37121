import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { answer, cut, hang, type ScriptedServer, startScriptedServer } from '../../test/servers/scripted-http.ts'
import { Connection } from './connection.ts'
import type { Call } from './request.ts'
import { TIMEOUTS, type Timeouts } from './retry.ts'
import { createTransport, type Token } from './transport.ts'

const READ: Call = { method: 'GET', path: '/x' }
const KEYED: Call = { method: 'POST', path: '/x', body: '{"a":1}', key: 'k' }
const PLAIN: Call = { method: 'POST', path: '/x', body: '{"a":1}' }
const IDEMPOTENT: Call = { ...PLAIN, idempotent: true }

const BUSY = { code: 'UNAVAILABLE', detail: 'the server has too much to do', details: { reason: 'busy' } }
const STORE = { code: 'STORAGE', detail: 'sqlite: the disk is full', details: { store: 'sqlite' } }

let server: ScriptedServer
let waits: number[]

beforeEach(async () => {
  server = await startScriptedServer({})
  waits = []
})
afterEach(() => server.stop())

/** A connection that records waits instead of waiting. */
function connect({ url = server.url, token, ...timeouts }: { url?: string; token?: Token } & Partial<Timeouts> = {}) {
  const wait = async (ms: number) => void waits.push(ms)
  return new Connection(createTransport(url, token, { ...TIMEOUTS, wait, random: () => 1, ...timeouts }))
}

describe('a request', () => {
  it('is sent below the address, which may have a path, with body and headers', async () => {
    server.next(answer(201, { b: -0 }))
    const connection = connect({ url: `${server.url}behind/a/proxy/`, token: 'abc' })
    expect(await connection.as({ tenant: 'acme', userId: 'ada' }).request(KEYED)).toEqual({ b: 0 })
    const [{ method, url, headers, body } = { headers: {} }] = server.received
    expect({ method, url, body }).toEqual({ method: 'POST', url: '/behind/a/proxy/v1/x', body: '{"a":1}' })
    expect(headers).toMatchObject({
      authorization: 'Bearer abc',
      'throughline-as': 'tenant=acme&userId=ada',
      'idempotency-key': 'k',
      'content-type': 'application/json',
      accept: 'application/json',
    })
  })

  it('returns undefined for an empty response', async () => {
    server.next(answer(204))
    expect(await connect().request(READ)).toBeUndefined()
  })

  it('gets a token for each attempt', async () => {
    server.next(answer(503, BUSY), answer(200, {}))
    let n = 0
    await connect({ token: async () => `token-${++n}` }).request(READ)
    expect(server.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer token-1', 'Bearer token-2'])
  })

  it('throws errors of the server without a retry', async () => {
    server.next(answer(503, STORE))
    await expect(connect().request(READ)).rejects.toMatchObject({ code: 'STORAGE', details: { store: 'sqlite' } })
    expect([server.received.length, waits]).toEqual([1, []])
  })

  it('throws if the response is not from Throughline', async () => {
    server.next((response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>'))
    await expect(connect().request(READ)).rejects.toThrow(/did not return JSON/)
    server.next(answer(302, undefined, { location: 'https://elsewhere.test/' }))
    await expect(connect({ token: 'abc' }).request(PLAIN)).rejects.toThrow(/redirect/)
    expect(server.received).toHaveLength(2)
  })
})

describe('a request without a response', () => {
  it.each([
    ['a read', READ],
    ['a write with a key', KEYED],
    ['an idempotent call', IDEMPOTENT],
  ])('is retried: %s', async (_, call) => {
    server.next(cut, answer(502), answer(504), answer(503), answer(503, BUSY), answer(200, { done: true }))
    expect(await connect().request(call)).toEqual({ done: true })
    expect(new Set(server.received.map(({ body, headers }) => `${body} ${headers['idempotency-key']}`)).size).toBe(1)
    expect(waits).toEqual([100, 200, 400, 800, 1600])
  })

  it.each([
    ['the connection was cut', cut],
    ['a proxy did not reach the server', answer(502)],
    ['a proxy gave up', answer(504)],
  ])('is not retried after %s if it is a write without a key', async (_, turn) => {
    server.next(turn, answer(200, {}))
    await expect(connect().request(PLAIN)).rejects.toMatchObject({ code: 'STORAGE', details: { store: 'http' } })
    expect(server.received).toHaveLength(1)
  })

  it('is always retried if the server did nothing', async () => {
    server.next(answer(503, BUSY), answer(200, { done: true }))
    expect(await connect().request(PLAIN)).toEqual({ done: true })
  })

  it('is always retried if it never reached a server', async () => {
    const { port, url } = server
    await server.stop()
    const wait = async (ms: number) => {
      waits.push(ms)
      if (waits.length === 3) server = await startScriptedServer({ port }, answer(200, { done: true }))
    }
    expect(await connect({ url, wait }).request(PLAIN)).toEqual({ done: true })
    expect(waits).toHaveLength(3)
  })

  it('waits as long as Retry-After says, and gives up at once if that is too long', async () => {
    const moment = new Date(Date.now() + 5000).toUTCString()
    server.next(answer(503, BUSY, { 'retry-after': '3' }), answer(502, '', { 'retry-after': moment }), answer(200, {}))
    await connect().request(READ)
    expect(waits[0]).toBe(3000)
    expect(waits[1]).toBeGreaterThan(3000)
    expect(waits[1]).toBeLessThanOrEqual(5000)
    server.next(answer(503, BUSY, { 'retry-after': '60' }))
    await expect(connect().request(READ)).rejects.toMatchObject({ code: 'UNAVAILABLE', details: { reason: 'busy' } })
    expect(waits).toHaveLength(2)
  })

  it('fails with the last error after waiting about 10 s', async () => {
    server.next(...Array.from({ length: 20 }, () => cut))
    await expect(connect().request(READ)).rejects.toMatchObject({
      code: 'STORAGE',
      message: expect.stringMatching(/^http: no response from http:\/\/127\.0\.0\.1:\d+: .+/),
      cause: expect.any(Error),
    })
    const total = waits.reduce((sum, ms) => sum + ms, 0)
    expect(total).toBeGreaterThan(8000)
    expect(total).toBeLessThanOrEqual(10_000)
  })

  it('shows why the host cannot be reached', async () => {
    const { url } = server
    await server.stop()
    await expect(connect({ url }).request(READ)).rejects.toThrow(/no response.*ECONNREFUSED/)
    server = await startScriptedServer({})
  })

  it('times out without a retry', async () => {
    server.next(hang)
    await expect(connect({ attempt: 50 }).request(READ)).rejects.toThrow(/timed out/)
    server.next((response) => response.writeHead(200).write('{'))
    await expect(connect({ attempt: 50 }).request(READ)).rejects.toThrow(/timed out/)
    expect([server.received.length, waits]).toEqual([2, []])
  })

  it('is retried when the response ends early', async () => {
    server.next(
      (response) => {
        response.writeHead(200, { 'content-length': '100' }).write('{"a":', () => response.socket?.destroy())
      },
      answer(200, { a: 1 }),
    )
    expect(await connect().request(KEYED)).toEqual({ a: 1 })
  })
})

describe('a token function that never returns', () => {
  const never = () => new Promise<string>(() => {})

  it('makes the call time out', async () => {
    const connection = connect({ token: never, attempt: 30 })
    await expect(connection.request(KEYED)).rejects.toThrow(/token function/)
    await expect(connection.requestWithProgress(IDEMPOTENT)).rejects.toThrow(/token function/)
    expect([server.received, waits]).toEqual([[], []])
  })

  it('does not delay close', async () => {
    const connection = connect({ token: never, close: 30 })
    const calls = Promise.allSettled([connection.request(KEYED), connection.requestWithProgress(IDEMPOTENT)])
    await connection.close()
    for (const result of await calls) {
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'http: the connection is closed' } })
    }
  })
})

describe('requestWithProgress', () => {
  const progress = 'event: progress\ndata: {"n":1}\n\n: still here\n\n'

  it('reports progress and returns the result', async () => {
    server.next((response) => response.end(`${progress}event: result\ndata: {"all":3}\n\n`))
    const seen: unknown[] = []
    expect(await connect().requestWithProgress(IDEMPOTENT, (value: unknown) => void seen.push(value))).toEqual({
      all: 3,
    })
    expect([seen, server.received[0]?.headers.accept]).toEqual([[{ n: 1 }], 'text/event-stream'])
  })

  it('throws the problem that ends the stream or replaces it', async () => {
    server.next((response) => response.end(`${progress}event: problem\ndata: ${JSON.stringify(STORE)}\n\n`))
    await expect(connect().requestWithProgress(IDEMPOTENT)).rejects.toMatchObject({
      code: 'STORAGE',
      details: { store: 'sqlite' },
    })
    server.next(answer(503, STORE))
    await expect(connect().requestWithProgress(IDEMPOTENT)).rejects.toMatchObject({ details: { store: 'sqlite' } })
  })

  it('starts again after a lost connection if the call is idempotent', async () => {
    const broken = (response: { write(text: string, done: () => void): void; socket: { destroy(): void } | null }) =>
      response.write(progress, () => response.socket?.destroy())
    server.next(
      broken as never,
      (response) => response.end(progress),
      (response) => response.end('event: result\ndata: 1\n\n'),
    )
    expect(await connect().requestWithProgress(IDEMPOTENT)).toBe(1)
    server.next(broken as never)
    await expect(connect().requestWithProgress(PLAIN)).rejects.toMatchObject({ code: 'STORAGE' })
    server.next((response) => void response.end(`${progress}event: problem\ndata: ${JSON.stringify(BUSY)}\n\n`))
    await expect(connect().requestWithProgress(PLAIN)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    expect(server.received).toHaveLength(5)
  })

  it('runs as long as data arrives, and times out without any', async () => {
    server.next((response) => {
      let left = 30
      const timer = setInterval(() => {
        if (--left > 0) return void response.write(': still here\n\n')
        clearInterval(timer)
        response.end('event: result\ndata: 1\n\n')
      }, 20)
    })
    expect(await connect({ attempt: 500, idle: 20_000 }).requestWithProgress(IDEMPOTENT)).toBe(1)
    server.next((response) => void response.write(': here\n\n'))
    await expect(connect({ idle: 50 }).requestWithProgress(PLAIN)).rejects.toThrow(/timed out/)
  })

  it('rethrows errors of the progress callback', async () => {
    server.next((response) => response.end(`${progress}event: result\ndata: 1\n\n`))
    const mine = new Error('enough')
    const stop = () => {
      throw mine
    }
    await expect(connect().requestWithProgress(IDEMPOTENT, stop)).rejects.toBe(mine)
    expect(server.received).toHaveLength(1)
  })
})

describe('close', () => {
  it('waits for pending requests and rejects new ones', async () => {
    const connection = connect()
    let finish = () => {}
    const arrived = new Promise<void>((resolve) => {
      server.next((response) => {
        finish = () => response.end('{"late":true}')
        resolve()
      })
    })
    const request = connection.request(KEYED)
    await arrived
    const closing = connection.close()
    await expect(connection.request(READ)).rejects.toThrow('http: the connection is closed')
    finish()
    expect(await request).toEqual({ late: true })
    await closing
    await connection.close()
    expect(server.received).toHaveLength(1)
  })

  it('ends streams at once, stops retries, and aborts requests that take too long', async () => {
    const streaming = Promise.withResolvers<void>()
    const hanging = Promise.withResolvers<void>()
    const waiting = Promise.withResolvers<void>()
    const connection = connect({
      close: 30,
      async wait(_ms, signal) {
        waiting.resolve()
        await TIMEOUTS.wait(1_000_000, signal)
      },
    })
    server.next((response) => void response.write(': here\n\n', () => streaming.resolve()))
    const work = connection.requestWithProgress(IDEMPOTENT)
    await streaming.promise
    server.next(() => hanging.resolve())
    const read = connection.request(READ)
    await hanging.promise
    server.next(answer(503, BUSY))
    const write = connection.request(KEYED)
    await waiting.promise
    const all = Promise.allSettled([work, read, write])
    await connection.close()
    for (const result of await all) {
      expect(result).toMatchObject({ status: 'rejected', reason: { message: 'http: the connection is closed' } })
    }
    expect(server.received).toHaveLength(3)
  })

  it('returns after the abort even if a request never settles', async () => {
    const waiting = Promise.withResolvers<void>()
    const connection = connect({
      close: 30,
      async wait() {
        waiting.resolve()
        await new Promise(() => {})
      },
    })
    server.next(answer(503, BUSY))
    void connection.request(KEYED)
    await waiting.promise
    await connection.close()
  })
})
