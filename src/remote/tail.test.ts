import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  answer,
  cut,
  hang,
  type ScriptedServer,
  startScriptedServer,
  type Turn,
} from '../../test/servers/scripted-http.ts'
import { Connection } from './connection.ts'
import { TIMEOUTS, type Timeouts } from './retry.ts'
import { tailEvents } from './tail.ts'
import { createTransport } from './transport.ts'

const GONE = { code: 'SESSION_NOT_FOUND', detail: 'session s does not exist', details: { sessionId: 's' } }
const FULL = { code: 'TOO_MANY_STREAMS', detail: '100 streams are open already', details: { limit: 100 } }
const BUSY = { code: 'UNAVAILABLE', detail: 'the server is stopping', details: { reason: 'stopping' } }

let server: ScriptedServer
let waits: number[]

beforeEach(async () => {
  server = await startScriptedServer({})
  waits = []
})
afterEach(() => server.stop())

function connect(timeouts: Partial<Timeouts> = {}) {
  const wait = async (ms: number) => void waits.push(ms)
  return new Connection(createTransport(server.url, undefined, { ...TIMEOUTS, wait, random: () => 1, ...timeouts }))
}

const event = (sequence: number) => `id: ${sequence}\ndata: {"sequence":${sequence}}\n\n`
const END = 'event: end\ndata: {}\n\n'

/** Sends these events, then runs `after`. */
const stream =
  (sequences: readonly number[], after: Turn = (response) => void response.end(END)): Turn =>
  (response, request) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(`: here\n\n${sequences.map(event).join('')}`, () => after(response, request))
  }

const problem =
  (value: object): Turn =>
  (response) =>
    void response.end(`event: problem\ndata: ${JSON.stringify(value)}\n\n`)

type Options = Parameters<typeof tailEvents>[2]

/** Follows until `count` events have arrived. */
async function take(connection: Connection, count: number, options?: Options) {
  const seen: number[] = []
  for await (const { sequence } of tailEvents(connection, '/sessions/s', options)) {
    seen.push(sequence)
    if (seen.length === count) break
  }
  return seen
}

/** Follows to the end, and calls `then` after the first event. */
async function takeAll(connection: Connection, then: () => unknown, options?: Options) {
  const seen: number[] = []
  for await (const { sequence } of tailEvents(connection, '/sessions/s', options)) {
    seen.push(sequence)
    if (seen.length === 1) setImmediate(then)
  }
  return seen
}

describe('tail', () => {
  it('reopens a stream after the last event, however it ended', async () => {
    server.next(stream([3, 4]), stream([5], cut), stream([6], problem(BUSY)), answer(502), cut, stream([7, 8], hang))
    expect(await take(connect(), 6, { after: 2 })).toEqual([3, 4, 5, 6, 7, 8])
    expect(server.received.map(({ url }) => url)).toEqual(
      [2, 4, 5, 6, 6, 6].map((after) => `/v1/sessions/s/stream?after=${after}`),
    )
    // a working stream resets the backoff
    expect(waits).toEqual([100, 100, 100, 200, 400])
  })

  it('reopens a stream that goes silent', async () => {
    server.next(stream([1], hang), stream([2], hang))
    expect(await take(connect({ idle: 50 }), 2)).toEqual([1, 2])
  })

  it('does not time out while its consumer is slow', async () => {
    let more = () => {}
    server.next(
      stream([1], (response) => {
        more = () => void response.write(event(2))
      }),
    )
    const following = tailEvents(connect({ idle: 200 }), '/sessions/s')
    await following.next()
    // longer than the idle timeout
    await new Promise((resolve) => setTimeout(resolve, 300))
    more()
    expect(await following.next()).toMatchObject({ value: { sequence: 2 } })
    await following.return(undefined)
    expect(server.received).toHaveLength(1)
  })

  it('throws errors of the server, at the start or in the middle', async () => {
    server.next(answer(404, GONE), stream([1], problem(GONE)))
    await expect(take(connect(), 1)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(take(connect(), 2)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(waits).toEqual([])
  })

  it('retries TOO_MANY_STREAMS only while its own broken stream may still count', async () => {
    server.next(stream([1], cut), answer(429, FULL), stream([2], hang))
    expect(await take(connect(), 2)).toEqual([1, 2])
    server.next(answer(429, FULL))
    await expect(take(connect(), 1)).rejects.toMatchObject({ code: 'TOO_MANY_STREAMS' })
  })

  it('gives up after waiting about 30 s', async () => {
    server.next(stream([1], cut), ...Array.from({ length: 40 }, () => cut))
    await expect(take(connect(), 2)).rejects.toMatchObject({ code: 'STORAGE', details: { store: 'http' } })
    const total = waits.reduce((sum, ms) => sum + ms, 0)
    expect(total).toBeGreaterThan(27_000)
    expect(total).toBeLessThanOrEqual(30_000)
  })

  it('ends without an error when its signal aborts or the connection closes', async () => {
    expect(await take(connect(), 1, { signal: AbortSignal.abort() })).toEqual([])
    expect(server.received).toEqual([])

    const stop = new AbortController()
    server.next(stream([1], hang))
    expect(await takeAll(connect(), () => stop.abort(), { signal: stop.signal })).toEqual([1])

    const closing = connect()
    server.next(stream([1], hang))
    expect(await takeAll(closing, () => closing.close())).toEqual([1])
    expect(await take(closing, 9)).toEqual([])
  })

  it('ends without an error between two attempts', async () => {
    const waiting: Connection = connect({
      async wait(_ms, signal) {
        setImmediate(() => waiting.close())
        await TIMEOUTS.wait(1_000_000, signal)
      },
    })
    server.next(stream([1]))
    expect(await take(waiting, 9)).toEqual([1])
    expect(server.received).toHaveLength(1)
  })

  it('closes the stream when its consumer stops', async () => {
    const gone = new Promise<void>((resolve) => {
      server.next((response, request) => {
        response.once('close', () => resolve())
        stream([1], hang)(response, request)
      })
    })
    await take(connect(), 1)
    await gone
  })

  it('rejects an invalid position at once', () => {
    expect(() => tailEvents(connect(), '/sessions/s', { after: -1 })).toThrow(
      expect.objectContaining({ field: 'after' }),
    )
  })
})
