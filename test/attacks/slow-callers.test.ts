import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { networkOf } from '../../src/http/address-limit.ts'
import { expectProblem, send, startTarget, type Target } from './target.ts'

/** A connection, from an address of this machine. */
async function connected(target: Target, localAddress = '127.0.0.1'): Promise<Socket> {
  const { hostname, port } = new URL(target.url)
  return await new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), localAddress }, () => resolve(socket))
    socket.setEncoding('utf8').once('error', reject)
  })
}

/** Everything received until the server closes the connection. */
async function received(socket: Socket): Promise<string> {
  let text = ''
  socket.on('data', (part: string) => {
    text += part
  })
  await new Promise((resolve) => socket.once('close', resolve))
  return text
}

describe('a body that arrives slowly', () => {
  let target: Target
  beforeAll(async () => {
    // measured over a second
    target = await startTarget({ limits: { requestTimeoutMs: 4000, bodyBytesPerSecond: 1000 } })
  })
  afterAll(() => target.server.close())

  const head = (length: number) =>
    [
      `POST /v1/sessions/${target.sessions.ada}/events HTTP/1.1`,
      'host: localhost',
      `authorization: Bearer ${target.tokens.ada}`,
      'content-type: application/json',
      `content-length: ${length}`,
      '\r\n',
    ].join('\r\n')

  it.each([
    ['byte by byte', ''],
    ['byte by byte after a fast beginning', ' '.repeat(100_000)],
  ])('%s is refused before its deadline, and its connection closed', async (_what, beginning) => {
    await target.harmless(async () => {
      const socket = await connected(target)
      socket.write(head(1_000_000) + beginning)
      const drip = setInterval(() => socket.write(' '), 20)
      const text = await received(socket)
      clearInterval(drip)
      expect(text).toMatch(/^HTTP\/1\.1 408 /)
      // at the deadline it would say that the request did not arrive in time
      expect(text).toMatch(
        /"status":408,"code":"VALIDATION","detail":"body: arrived too slowly: send at least 1000 bytes/,
      )
      expect(text).toContain('"details":{"field":"body"}')
    })
  })

  it('but faster than the limit is accepted', async () => {
    const socket = await connected(target)
    const body = `{"type":"user_message","content":"slow but steady"${' '.repeat(3000)}}`
    const answer = received(socket)
    socket.write(head(body.length).replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n'))
    let sent = 0
    const drip = setInterval(() => {
      socket.write(body.slice(sent, sent + 100))
      sent += 100
      if (sent >= body.length) clearInterval(drip)
    }, 40)
    expect(await answer).toMatch(/^HTTP\/1\.1 201 /)
  })
})

describe('connections of one address', () => {
  let target: Target
  beforeAll(async () => {
    target = await startTarget({ limits: { connectionsPerAddress: 5 } })
  })
  afterAll(() => target.server.close())

  it('beyond the limit are refused with a reason and closed, while other addresses are served', async () => {
    await target.harmless(async () => {
      const held = await Promise.all(Array.from({ length: 5 }, () => connected(target)))
      const body = { type: 'user_message', content: 'one too many' }
      const path = `/v1/sessions/${target.sessions.ada}/events`
      const refused = await send(target.url, 'POST', path, { token: target.tokens.ada, body })
      expectProblem(refused, 429, 'RATE_LIMITED')
      expect(refused.body).toMatchObject({ details: { limit: 'connectionsPerAddress', retryAfter: 1 } })
      expect(refused.headers).toMatchObject({ 'retry-after': '1' })
      expect((await send(target.url, 'GET', '/healthz')).status).toBe(429)
      // without a request it is closed too
      expect(await received(await connected(target))).toBe('')

      // elsewhere a machine has one loopback address
      if (process.platform === 'linux') {
        const other = await connected(target, '127.0.0.2')
        other.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n')
        expect(await received(other)).toMatch(/^HTTP\/1\.1 200 /)
      }

      await Promise.all(held.map((socket) => new Promise((resolve) => socket.once('close', resolve).destroy())))
      let answer = await send(target.url, 'GET', '/healthz')
      // until the server has noticed that they are closed
      while (answer.status === 429) answer = await send(target.url, 'GET', '/healthz')
      expect(answer.status).toBe(200)
    })
  })

  it('are counted by network for IPv6, where a host has many addresses', () => {
    const cases = ['192.0.2.7', '::ffff:192.0.2.7', '2001:db8:1:2:3:4:5:6', '2001:db8:1:2::9', '2001:db8::9', '::1']
    expect(cases.map(networkOf)).toEqual([
      '192.0.2.7',
      '192.0.2.7',
      '2001:db8:1:2',
      '2001:db8:1:2',
      '2001:db8:0:0',
      '0:0:0:0',
    ])
  })
})
