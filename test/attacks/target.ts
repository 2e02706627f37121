import { type IncomingHttpHeaders, request } from 'node:http'
import { connect } from 'node:net'
import { expect } from 'vitest'
import type { ServeOptions, Server } from '../../src/serve.ts'
import { startServer, tokenOf } from '../servers/http.ts'

/** A server with sessions and memories of Ada and Bob, of tenant acme, and of Eve, of tenant globex. */
export interface Target {
  readonly server: Server
  readonly url: string
  readonly tokens: Record<Person, string>
  /** A session of each, with a log, a scratchpad and an envelope. */
  readonly sessions: Record<Person, string>
  readonly memories: Record<Person, string>
  /** All stored data of the three, as text. */
  contents(): Promise<string>
  /** Runs an attack, which must leave the stored data unchanged and the server working. */
  harmless<T>(attack: () => Promise<T>): Promise<T>
}

export const PEOPLE = { ada: 'acme', bob: 'acme', eve: 'globex' } as const
export type Person = keyof typeof PEOPLE
const NAMES = Object.keys(PEOPLE) as Person[]

/** Each of the three has their own conversation with this id. */
export const CONVERSATION = 'the one conversation'

/** Attacks come faster than the requests of one caller may. */
const FAST = { requestsPerSecond: 100_000, requestsPerSecondPerCaller: 100_000 }

export async function startTarget({ limits, ...options }: ServeOptions = {}): Promise<Target> {
  const server = await startServer({ url: 'memory:', index: false, limits: { ...FAST, ...limits }, ...options })
  const { tl, url } = server
  const tokens = await ofEach((sub) => tokenOf({ tenant: PEOPLE[sub], sub }))
  const sessions = await ofEach(async (userId) => {
    const session = await tl.sessions.create({
      userId,
      tenant: PEOPLE[userId],
      conversationId: CONVERSATION,
      metadata: { secret: `metadata of ${userId}` },
    })
    await session.addMessage({ role: 'user', content: `secret of ${userId}` })
    await session.updateState({ secret: `state of ${userId}` })
    await session.request({ id: 'r', kind: 'approval', question: `secret of ${userId}?` })
    return session.id
  })
  const memories = await ofEach(async (userId) => {
    const [kept] = [
      await tl.memories.remember({ userId, tenant: PEOPLE[userId], content: `memory of ${userId}` }),
    ].flat()
    return kept?.id ?? ''
  })

  async function contents(): Promise<string> {
    const all = NAMES.map(async (userId) => {
      const whose = { userId, tenant: PEOPLE[userId] }
      const { items } = await tl.sessions.list({ ...whose, limit: 500 })
      const logs = items.map(async (record) => {
        const session = await tl.sessions.get(record.id)
        return [record, await session.events({ limit: 500 }), await session.state(), await session.envelope()]
      })
      return [await Promise.all(logs), await tl.memories.list(whose)]
    })
    return JSON.stringify(await Promise.all(all))
  }

  async function harmless<T>(attack: () => Promise<T>): Promise<T> {
    const before = await contents()
    const result = await attack()
    expect(await contents()).toBe(before)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
    const { status, body } = await send(url, 'GET', `/v1/sessions/${sessions.ada}`, { token: tokens.ada })
    expect({ status, id: (body as { id: string }).id }).toEqual({ status: 200, id: sessions.ada })
    return result
  }

  return { server, url, tokens, sessions, memories, contents, harmless }
}

async function ofEach<T>(make: (person: Person) => Promise<T>): Promise<Record<Person, T>> {
  const made: [Person, T][] = []
  for (const name of NAMES) made.push([name, await make(name)])
  return Object.fromEntries(made) as Record<Person, T>
}

export interface TestResponse {
  status: number
  headers: IncomingHttpHeaders
  text: string
  /** The text as JSON, if it is JSON. */
  body: unknown
}

interface Sending {
  token?: string
  headers?: Record<string, string | string[]>
  /** Text and bytes are sent unchanged, other values as JSON. */
  body?: unknown
}

/** Sends one request on a new connection; the path is sent unchanged. */
export function send(url: string, method: string, path: string, sending: Sending = {}): Promise<TestResponse> {
  const { token, headers = {}, body } = sending
  const payload =
    body === undefined || typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body)
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const outgoing = request(
      {
        hostname,
        port,
        method,
        path,
        agent: false,
        headers: {
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(payload !== undefined && {
            'content-type': 'application/json',
            'content-length': Buffer.byteLength(payload),
          }),
          ...headers,
        },
      },
      (incoming) => {
        let text = ''
        incoming.setEncoding('utf8').on('data', (part: string) => {
          text += part
        })
        incoming.once('error', reject)
        incoming.once('end', () => {
          const { statusCode: status = 0, headers } = incoming
          resolve({ status, headers, text, body: json(text) })
        })
      },
    )
    outgoing.once('error', reject).end(payload)
  })
}

/** Writes bytes to a socket and returns everything received until the server closes it. */
export function sendRaw(url: string, ...parts: readonly (string | Uint8Array)[]): Promise<string> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname)
    socket.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    // reset by the other side: keeps the text received before
    socket.once('error', (error) => (text === '' ? reject(error) : resolve(text)))
    socket.once('close', () => resolve(text))
    for (const part of parts) socket.write(part)
  })
}

function json(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Expects a problem with this status and code, and this field if given. */
export function expectProblem(answer: TestResponse, status: number, code: string, field?: string): void {
  const { details, instance } = (answer.body ?? {}) as { details?: { field?: string }; instance?: string }
  const found = {
    status: answer.status,
    ...(answer.body as object),
    ...(field !== undefined && { field: details?.field }),
  }
  expect(found).toMatchObject({ status, code, ...(field !== undefined && { field }) })
  expect(answer.headers['content-type']).toBe('application/problem+json; charset=utf-8')
  expect(instance).toMatch(/^[0-9a-f-]{36}$/)
}
