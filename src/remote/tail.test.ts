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

function connect(patience: Partial<Timeouts> = {}) {
  const wait = async (ms: number) => void waits.push(ms)
  return new Connection(createTransport(server.url, undefined, { ...TIMEOUTS, wait, random: () => 1, ...patience }))
}

const event = (sequence: number) => `id: ${sequence}\ndata: {"sequence":${sequence}}\n\n`
const END = 'event: end\ndata: {}\n\n'

/** Sends these events, and then what `after` does. */
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

/** Follows until so many events have come. */
async function take(connection: Connection, count: number, options?: Options) {
  const seen: number[] = []
  for await (const { sequence } of tailEvents(connection, '/sessions/s', options)) {
    seen.push(sequence)
    if (seen.length === count) break
  }
  return seen
}

/** Follows to the end, and does something once the first event has come. */
async function takeAll(connection: Connection, then: () => unknown, options?: Options) {
  const seen: number[] = []
  for await (const { sequence } of tailEvents(connection, '/sessions/s', options)) {
    seen.push(sequence)
    if (seen.length === 1) setImmediate(then)
  }
  return seen
}

describe('following a session', () => {
  it('takes a stream up behind the last event, however it ended', async () => {
    server.next(stream([3, 4]), stream([5], cut), stream([6], problem(BUSY)), answer(502), cut, stream([7, 8], hang))
    expect(await take(connect(), 6, { after: 2 })).toEqual([3, 4, 5, 6, 7, 8])
    expect(server.received.map(({ url }) => url)).toEqual(
      [2, 4, 5, 6, 6, 6].map((after) => `/v1/sessions/s/stream?after=${after}`),
    )
    // patience begins anew once the stream stood
    expect(waits).toEqual([100, 100, 100, 200, 400])
  })

  it('notices that nothing comes any more, not even a sign of life', async () => {
    server.next(stream([1], hang), stream([2], hang))
    expect(await take(connect({ idle: 50 }), 2)).toEqual([1, 2])
  })

  it('gives its reader all the time it wants', async () => {
    let more = () => {}
    server.next(
      stream([1], (response) => {
        more = () => void response.write(event(2))
      }),
    )
    const following = tailEvents(connect({ idle: 200 }), '/sessions/s')
    await following.next()
    // longer than it would wait for the server
    await new Promise((resolve) => setTimeout(resolve, 300))
    more()
    expect(await following.next()).toMatchObject({ value: { sequence: 2 } })
    await following.return(undefined)
    expect(server.received).toHaveLength(1)
  })

  it('throws what the server refuses, at once or in the middle', async () => {
    server.next(answer(404, GONE), stream([1], problem(GONE)))
    await expect(take(connect(), 1)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    await expect(take(connect(), 2)).rejects.toMatchObject({ code: 'SESSION_NOT_FOUND' })
    expect(waits).toEqual([])
  })

  it('waits for room where its own stream is still counted, and only then', async () => {
    server.next(stream([1], cut), answer(429, FULL), stream([2], hang))
    expect(await take(connect(), 2)).toEqual([1, 2])
    server.next(answer(429, FULL))
    await expect(take(connect(), 1)).rejects.toMatchObject({ code: 'TOO_MANY_STREAMS' })
  })

  it('gives up after about half a minute without success', async () => {
    server.next(stream([1], cut), ...Array.from({ length: 40 }, () => cut))
    await expect(take(connect(), 2)).rejects.toMatchObject({ code: 'STORAGE', details: { store: 'http' } })
    const total = waits.reduce((sum, ms) => sum + ms, 0)
    expect(total).toBeGreaterThan(27_000)
    expect(total).toBeLessThanOrEqual(30_000)
  })

  it('ends in silence with its signal, and with the connection, whatever it is doing', async () => {
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

  it('ends in silence between two attempts too', async () => {
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

  it('tells the server when its reader goes away', async () => {
    const gone = new Promise<void>((resolve) => {
      server.next((response, request) => {
        response.once('close', () => resolve())
        stream([1], hang)(response, request)
      })
    })
    await take(connect(), 1)
    await gone
  })

  it('refuses at once what is no place to begin', () => {
    expect(() => tailEvents(connect(), '/sessions/s', { after: -1 })).toThrow(
      expect.objectContaining({ field: 'after' }),
    )
  })
})
