import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { send, startTarget, type Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget({ limits: { connections: 50 } })
})
afterAll(() => target.server.close())

const TOO_LARGE = 40 * 1024 * 1024
const CHUNK = `1000\r\n${' '.repeat(0x1000)}\r\n`

interface Connection {
  socket: Socket
  /** Everything received. */
  text(): string
  /** Waits for a part of it. */
  until(part: string): Promise<void>
  closed: Promise<unknown>
}

function connected(): Promise<Connection> {
  const { hostname, port } = new URL(target.url)
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname, () => resolve({ socket, text: () => text, until, closed }))
    const closed = new Promise((gone) => socket.once('close', gone))
    const gone = closed.then(() => Promise.reject(new Error('the connection was closed')))
    gone.catch(() => {})
    const until = async (part: string) => {
      while (!text.includes(part)) await Promise.race([new Promise((more) => socket.once('data', more)), gone])
    }
    socket.once('error', reject).on('error', () => {})
    socket.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
  })
}

/** A connection on which a request was begun. */
async function begun(method: string, path: string, ...lines: string[]): Promise<Connection> {
  const connection = await connected()
  const head = [`${method} ${path} HTTP/1.1`, 'host: localhost', 'content-type: application/json', ...lines, '\r\n']
  await new Promise((resolve) => connection.socket.write(head.join('\r\n'), resolve))
  return connection
}

const token = () => `authorization: Bearer ${target.tokens.ada}`
const CHUNKED = 'transfer-encoding: chunked'
const events = () => `/v1/sessions/${target.sessions.ada}/events`

describe('a body that nobody will read', () => {
  const cases: [what: string, method: string, path: () => string, status: string][] = [
    ['without a token', 'POST', events, '401'],
    ['for a route that does not exist', 'POST', () => '/v1/nothing', '404'],
    ['for a path that does not exist', 'POST', () => '/nothing', '404'],
    ['for a route without a token', 'GET', () => '/healthz', '200'],
    ['to MCP without a token', 'POST', () => '/mcp', '401'],
  ]

  it.each(cases)('%s is answered at once, and its connection dropped', async (_what, method, path, status) => {
    const { socket, text, closed } = await begun(method, path(), CHUNKED)
    const pour = () => void socket.write(CHUNK, (error) => error ?? setImmediate(pour))
    pour()
    await closed
    expect(text().slice(9, 12)).toBe(status)
    expect(text().match(/HTTP\/1\.1 \d/g)).toHaveLength(1)
  })

  it.each(cases)('%s is not invited', async (_what, method, path, status) => {
    const { text, closed } = await begun(method, path(), CHUNKED, 'expect: 100-continue')
    await closed
    expect(text().slice(9, 12)).toBe(status)
  })
})

it('a client may finish sending a body that is refused as too large, and send another request', async () => {
  const { socket, until } = await begun('POST', events(), token(), `content-length: ${TOO_LARGE}`)
  await until('"code":"TOO_LARGE"')
  socket.write(Buffer.alloc(TOO_LARGE, ' '))
  socket.write(['GET /healthz HTTP/1.1', 'host: localhost', '\r\n'].join('\r\n'))
  await until('200 OK')
  socket.destroy()
})

it('a body is invited once its caller is known, also on a connection that was used before', async () => {
  const { socket, until } = await begun('GET', '/v1', token())
  await until('200 OK')
  const body = '{"type":"user_message","content":"invited"}'
  const lines = [token(), 'content-type: application/json', `content-length: ${body.length}`, 'expect: 100-continue']
  socket.write([`POST ${events()} HTTP/1.1`, 'host: localhost', ...lines, '\r\n'].join('\r\n'))
  await until('100 Continue')
  socket.write(body)
  await until('201 Created')
  socket.destroy()
})

it('idle connections make room for new ones', async () => {
  const silent = await Promise.all(Array.from({ length: 25 }, connected))
  const idle = await Promise.all(Array.from({ length: 25 }, () => begun('GET', '/healthz')))
  const { status } = await send(target.url, 'GET', '/v1', { token: target.tokens.ada })
  expect(status).toBe(200)
  await Promise.all([...silent, ...idle].map(({ closed }) => closed))
})
