import { mkdtempSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { amount, isProving, printFigure } from '../proof.ts'
import { tokenOf } from '../servers/http.ts'
import { type ServerProcess, startServerProcess } from './server-process.ts'
import { send } from './target.ts'

/** Calls of the quiet tenant, of each kind. */
const CALLS = amount(40, 300)
/** Limits small enough to exceed them with one process. The quiet caller sends as fast as it can, so no rates. */
const LIMITS =
  'requests=90,bodies=20000000,streams=90,bulk=9,requestsPerSecond=100000,requestsPerSecondPerCaller=100000'

const EVENT = { type: 'user_message', content: 'Is the night train to Vienna on time?' }

let folder: string
let server: ServerProcess
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'throughline-'))
  server = await startServerProcess(`sqlite:${join(folder, 'sessions.db')}`, '--log', 'silent', '--limits', LIMITS)
})
afterAll(async () => {
  expect(await server.stop()).toBe(0)
  rmSync(folder, { recursive: true })
})

interface User {
  token: string
  session: string
}

async function user(tenant: string, sub: string, scope?: string): Promise<User> {
  const token = await tokenOf({ tenant, sub, scope })
  const { body } = await send(server.url, 'POST', '/v1/sessions', { token, body: { userId: sub } })
  return { token, session: (body as { id: string }).id }
}

/** The quiet tenant's connection, which it keeps as clients do. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
afterAll(() => agent.destroy())

/** Milliseconds of an ordinary call, which must succeed. */
async function timed({ token }: User, method: string, path: string, body?: unknown): Promise<number> {
  const { hostname, port } = new URL(server.url)
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    authorization: `Bearer ${token}`,
    ...(text !== undefined && { 'content-type': 'application/json' }),
  }
  const start = performance.now()
  const status = await new Promise<number>((resolve, reject) => {
    request({ hostname, port, method, path, headers, agent }, (incoming) => {
      incoming.resume().once('end', () => resolve(incoming.statusCode ?? 0))
    })
      .once('error', reject)
      .end(text)
  })
  expect([method, path, status]).toEqual([method, path, method === 'POST' ? 201 : 200])
  return performance.now() - start
}

/** Times of ordinary calls in a row. */
async function ordinary(quiet: User): Promise<number[]> {
  const path = `/v1/sessions/${quiet.session}`
  const times: number[] = []
  for (let i = 0; i < CALLS; i++) {
    times.push(await timed(quiet, 'POST', `${path}/events`, EVENT))
    times.push(await timed(quiet, 'GET', `${path}/recent?maxTurns=5`))
    times.push(await timed(quiet, 'GET', '/v1/sessions?limit=10'))
  }
  return times
}

const p99 = (times: readonly number[]) => times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0

/** Everything that a tenant can do at once, until it is told to stop. Counts statuses. */
class Neighbour {
  readonly statuses = new Map<number, number>()
  readonly #users: readonly User[]
  readonly #sockets: Socket[] = []
  #isOver = false
  #work: Promise<unknown> = Promise.resolve()

  constructor(users: readonly User[]) {
    this.#users = users
  }

  /** Resolves once it was refused for the first time: it has all that it can get. */
  async start(): Promise<void> {
    for (const one of this.#users) {
      for (let i = 0; i < 25; i++) {
        this.#open(one, 'POST', `/v1/sessions/${one.session}/events`, 'content-length: 1000000', ' '.repeat(200_000))
        this.#open(one, 'GET', `/v1/sessions/${one.session}/stream`)
      }
    }
    const calls: [string, string, unknown?][] = [
      ['POST', '/v1/verify', {}],
      ['POST', '/v1/export', {}],
      ['POST', '/v1/index', {}],
      ['GET', '/v1/sessions?limit=500'],
    ]
    const loops = this.#users.flatMap((one) =>
      Array.from({ length: 20 }, async (_, i) => {
        const appending = ['POST', `/v1/sessions/${one.session}/events`, Array(50).fill(EVENT)] as const
        for (let n = i; !this.#isOver; n++) await this.#call(one, calls[n % (calls.length + 2)] ?? appending)
      }),
    )
    this.#work = Promise.all(loops)
    while (!this.statuses.has(429)) await new Promise(setImmediate)
  }

  async stop(): Promise<void> {
    this.#isOver = true
    for (const socket of this.#sockets) socket.destroy()
    await this.#work
  }

  async #call({ token }: User, [method, path, body]: readonly [string, string, unknown?]): Promise<void> {
    const { status } = await send(server.url, method, path, { token, body })
    this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1)
  }

  /** Begins a request that it never finishes, or whose response it never reads. */
  #open({ token }: User, method: string, path: string, line = 'accept: */*', body = ''): void {
    const { hostname, port } = new URL(server.url)
    const head = [`${method} ${path} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${token}`]
    const socket = connect(Number(port), hostname).on('error', () => {})
    socket.pause().write([...head, 'content-type: application/json', line, '', body].join('\r\n'))
    this.#sockets.push(socket)
  }
}

it('a tenant at full load gets none of the calls of another tenant refused', async () => {
  const quiet = await user('globex', 'eve')
  const users = await Promise.all(['ada', 'bob', 'cyd', 'dan'].map((sub) => user('acme', sub, 'sessions:any')))
  const before = await ordinary(quiet)
  const neighbour = new Neighbour(users)
  await neighbour.start()
  const during = await ordinary(quiet)
  await neighbour.stop()
  expect(new Set(neighbour.statuses.keys())).toContain(429)
  // the server refuses only what is beyond the share, and never is out of room itself
  expect(neighbour.statuses.get(503)).toBeUndefined()
  if (isProving) {
    const refused = neighbour.statuses.get(429) ?? 0
    const all = [...neighbour.statuses.values()].reduce((sum, count) => sum + count, 0)
    printFigure(
      `${during.length} calls next to a tenant at full load (${all} calls, ${refused} refused): none refused, ` +
        `p99 ${p99(during).toFixed(1)} ms, idle ${p99(before).toFixed(1)} ms: ${(p99(during) / p99(before)).toFixed(1)} times`,
    )
  }
}, 300_000)
