import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIMITS, open, type Session, type Throughline } from '../../src/index.ts'
import { serve } from '../../src/server.ts'
import { amount, withDatabaseFile } from '../proof.ts'
import { type ServeProcess, startServeProcess } from '../servers/serve-process.ts'

/** Megabytes of the server's heap. The log is larger. */
const HEAP = 112
const COUNT = amount(28, 100)
const content = 'x'.repeat(LIMITS.pageSize)

let server: ServeProcess
let tl: Throughline
let session: Session
let finished: () => void
let running: Promise<void>

beforeAll(async () => {
  const ready = Promise.withResolvers<void>()
  running = withDatabaseFile(async (path) => {
    const local = await open({ url: `sqlite:${path}`, durability: 'relaxed', index: false })
    const { id } = await local.sessions.create({ userId: 'ada' })
    const log = await local.sessions.get(id)
    for (let n = 0; n < COUNT; n++) {
      await log.append({ type: n % 2 === 0 ? 'user_message' : 'model_message', content, agentId: `a${n}` })
    }
    await local.close()
    server = await startServeProcess({
      THROUGHLINE_URL: `sqlite:${path}`,
      NODE_OPTIONS: `${process.env['NODE_OPTIONS'] ?? ''} --max-old-space-size=${HEAP}`,
    })
    tl = await open({ url: server.url })
    session = await tl.sessions.get(id)
    ready.resolve()
    await new Promise<void>((resolve) => {
      finished = resolve
    })
    await tl.close()
    server.stop()
    await server.ended
  })
  running.catch(ready.reject)
  await ready.promise
})

afterAll(async () => {
  finished()
  await running
})

const isAlive = async () => (await fetch(`${server.url}/healthz`)).status === 200

async function connect(url: string): Promise<IncomingMessage> {
  return await new Promise((resolve, reject) => {
    get(url, { agent: false }, resolve).once('error', reject)
  })
}

describe('a log larger than the heap of the server', () => {
  it('is read in pages that hold one large event each, and then an empty one', async () => {
    const page = async (after: number) => (await session.events({ after, limit: 500 })).map(({ sequence }) => sequence)
    expect([await page(0), await page(2), await page(COUNT), await page(COUNT + 1)]).toEqual([
      [1, 2],
      [3],
      [COUNT + 1],
      [],
    ])
  })

  it('has a window of the turns that fit into its size', async () => {
    const { events } = await session.recent({ maxTurns: 500 })
    expect(events.map(({ sequence }) => sequence)).toEqual([COUNT - 2, COUNT - 1, COUNT, COUNT + 1])
    expect(4 * content.length).toBe(LIMITS.windowSize)
  })

  it('gives all its messages, or the last ones that fit', async () => {
    const messages = await session.messages()
    expect(messages.map(({ agentId }) => agentId)).toEqual(Array.from({ length: COUNT }, (_, n) => `a${n}`))
    expect(await session.messages({ limit: 500 })).toHaveLength(4)
  })

  it('costs about one event per reader who does not read', async () => {
    const paths = [...Array(6).fill('/stream'), '/messages', '/events?limit=500']
    const readers = await Promise.all(paths.map((path) => connect(`${server.url}/v1/sessions/${session.id}${path}`)))
    expect(readers.map(({ statusCode }) => statusCode)).toEqual(paths.map(() => 200))
    // answered after what the readers made the server do
    for (let n = 0; n < 5; n++) expect(await isAlive()).toBe(true)
    expect(await session.events({ after: COUNT, limit: 1 })).toHaveLength(1)
    for (const reader of readers) reader.destroy()
  })
})

it('a reader who reads nothing for long is cut off, and its stream is over', async () => {
  const stalled = await serve({ url: 'memory:', port: 0, log: 'silent', limits: { stallTimeoutMs: 500 } })
  try {
    const { id, append } = await stalled.tl.sessions.create({ userId: 'ada' })
    // more than the buffers of both sockets hold
    for (let n = 0; n < 6; n++) await append({ type: 'user_message', content })
    const reader = await connect(`${stalled.url}/v1/sessions/${id}/stream`)
    const open = async () =>
      /throughline_http_streams (\d+)/.exec(await (await fetch(`${stalled.url}/metrics`)).text())?.[1]
    expect(await open()).toBe('1')
    await expect.poll(open).toBe('0')
    reader.destroy()
  } finally {
    await stalled.close()
  }
})
