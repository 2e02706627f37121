import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { amount, isProving, printFigure } from '../proof.ts'
import { tokenOf } from '../servers/http.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { send } from './target.ts'

const MB = 1024 * 1024
/** Streams that one caller may have. */
const EACH = 100

/** The crowd is one tenant, and comes in a second. */
const ROOMY = 'streams=20000,requestsPerSecond=1000000'

let folder: string
let server: ServerProcess
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'throughline-'))
  server = await startServerProcess(`sqlite:${join(folder, 'sessions.db')}`, '--log', 'silent', '--limits', ROOMY)
})
afterAll(async () => {
  expect(await server.stop()).toBe(0)
  rmSync(folder, { recursive: true })
})

interface User {
  name: string
  token: string
  session: string
}

async function user(name: string): Promise<User> {
  const token = await tokenOf({ tenant: 'acme', sub: name })
  const { body } = await send(server.url, 'POST', '/v1/sessions', { token, body: { userId: name } })
  return { name, token, session: (body as { id: string }).id }
}

/** Opens a stream. Resolves with its status once it is open or refused. */
async function follow({ token, session }: User): Promise<{ status: string; socket: Socket }> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  const head = `GET /v1/sessions/${session}/stream HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${token}\r\n\r\n`
  return await new Promise((resolve, reject) => {
    socket.once('error', reject).once('data', (text) => resolve({ status: text.toString().slice(9, 12), socket }))
    socket.write(head)
  })
}

/** Processes items in order, `atOnce` at a time. */
async function each<T, R>(items: readonly T[], atOnce: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let i = 0; i < items.length; i += atOnce)
    results.push(...(await Promise.all(items.slice(i, i + atOnce).map(work))))
  return results
}

function closed(socket: Socket): Promise<unknown> {
  return new Promise((resolve) => socket.once('close', resolve).destroy())
}

it('thousands of unread streams use little memory, delay no other request, and can be opened again', async () => {
  const files = Number(execFileSync('sh', ['-c', 'ulimit -Hn'], { encoding: 'utf8' }))
  const room = Number.isNaN(files) ? Number.POSITIVE_INFINITY : files - 500
  const crowd = Math.floor(Math.min(amount(2000, 4900), room) / EACH) * EACH
  const good = await user('ada')
  const users = await each(
    Array.from({ length: crowd / EACH }, (_, n) => `user ${n}`),
    10,
    user,
  )
  const before = server.peakMemory() ?? 0
  const wanted = users.flatMap((one) => Array<User>(EACH).fill(one))
  const streams = await each(wanted, 100, follow)
  expect(new Set(streams.map(({ status }) => status))).toEqual(new Set(['200']))

  const beyond = await each(users, 50, follow)
  expect(new Set(beyond.map(({ status }) => status))).toEqual(new Set(['429']))
  await Promise.all(beyond.map(({ socket }) => closed(socket)))

  const { socket, status } = await follow(good)
  expect(status).toBe('200')
  const seen = new Promise<void>((resolve) => {
    socket.on('data', (text) => text.toString().includes('in the crowd') && resolve())
  })
  const body = { type: 'user_message', content: 'in the crowd' }
  const append = await send(server.url, 'POST', `/v1/sessions/${good.session}/events`, { token: good.token, body })
  expect(append.status).toBe(201)
  await seen
  await closed(socket)

  const after = server.peakMemory()
  if (after !== undefined) {
    if (isProving) printFigure(`${crowd} idle streams: ${Math.round(after - before)} MB`)
    // 100 KB for each
    expect(after - before).toBeLessThan(crowd / 10)
  }
  await Promise.all(streams.map(({ socket }) => closed(socket)))
  const [first] = users as [User]
  let again = await follow(first)
  // until the server has noticed that they are closed
  while (again.status === '429') again = await follow(first)
  expect(again.status).toBe('200')
  const rest = await each(Array<User>(EACH - 1).fill(first), 25, follow)
  expect(new Set(rest.map(({ status }) => status))).toEqual(new Set(['200']))
  await Promise.all([again, ...rest].map(({ socket }) => closed(socket)))
})

it('endless bodies without a length are cut off, also when many arrive at once', async () => {
  const { token, session } = await user('mallory')
  const before = server.peakMemory() ?? 0
  const { hostname, port } = new URL(server.url)
  const chunk = Buffer.concat([Buffer.from(`${MB.toString(16)}\r\n`), Buffer.alloc(MB, ' '), Buffer.from('\r\n')])
  const head = [
    `POST /v1/sessions/${session}/events HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${token}`,
    'content-type: application/json',
    'transfer-encoding: chunked',
    '\r\n',
  ].join('\r\n')
  const pour = async () => {
    const socket = connect(Number(port), hostname)
    const end = new Promise((resolve) => socket.once('close', resolve))
    socket
      .on('error', () => {})
      .resume()
      .write(head)
    while (!socket.destroyed) await new Promise<void>((resolve) => socket.write(chunk, () => resolve()))
    await end
  }
  await Promise.all(Array.from({ length: 16 }, pour))
  const after = server.peakMemory()
  // at most 256 MB of bodies, and memory that the runtime has not released yet
  if (after !== undefined) expect(after - before).toBeLessThan(700)
  const { body } = await send(server.url, 'GET', `/v1/sessions/${session}`, { token })
  expect(body).toMatchObject({ head: 1 })
})

it.each([
  ['a line of garbage', 'GARBAGE\r\n\r\n'],
  ['a header that is too long', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
])(
  'a connection refused as invalid HTTP is released although the client keeps its end open: %s',
  async (_what, text) => {
    const { hostname, port } = new URL(server.url)
    const before = server.openFiles()
    const refused = async () => {
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
      const ended = new Promise((resolve) => socket.once('end', resolve))
      socket
        .on('error', () => {})
        .resume()
        .write(text)
      await ended
      return socket
    }
    const sockets = await Promise.all(Array.from({ length: 200 }, refused))
    for (let now = server.openFiles(); (now ?? 0) > (before ?? 0) + 20; now = server.openFiles()) {
      expect((await send(server.url, 'GET', '/healthz')).status).toBe(200)
    }
    await Promise.all(sockets.map(closed))
  },
)
