import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { send, sendRaw, startTarget, type Target } from './target.ts'

let target: Target
let path: string
beforeAll(async () => {
  // five for one caller
  target = await startTarget({ limits: { requests: 15 } })
  path = `/v1/sessions/${target.sessions.ada}/events`
})
afterAll(() => target.server.close())

const BODY = '{"type":"user_message","content":"smuggled"}'
/** A request as text, with these header lines next to the token. */
const raw = (first: string, lines: readonly string[], body = '') =>
  [first, 'host: localhost', `authorization: Bearer ${target.tokens.ada}`, ...lines, '', body].join('\r\n')
const append = (lines: readonly string[], body: string) =>
  raw(`POST ${path} HTTP/1.1`, ['content-type: application/json', ...lines], body)

function connected(url = target.url): Promise<Socket> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    // keeps its own end open until it is closed
    const options = { port: Number(port), host: hostname, allowHalfOpen: true }
    const socket = connect(options, () => resolve(socket)).once('error', reject)
  })
}

describe('headers', () => {
  it.each([
    ['one of a megabyte', () => [`x: ${'x'.repeat(1024 * 1024)}`]],
    ['one whose name has a megabyte', () => [`${'x'.repeat(1024 * 1024)}: x`]],
    ['5,000 small ones', () => Array.from({ length: 5000 }, (_, n) => `x${n}: ${n}`)],
  ])('%s: refused, and the others are served', async (_what, lines) => {
    await target.harmless(async () => {
      const text = await sendRaw(target.url, raw('GET /v1 HTTP/1.1', [...lines(), 'connection: close']))
      expect(text).toMatch(/^HTTP\/1\.1 431 /)
      expect(text).toMatch(/"status":431,"code":"TOO_LARGE"/)
    })
  })

  it('of two authorization headers only the first counts', async () => {
    const lines = [`authorization: Bearer ${target.tokens.eve}`, 'connection: close']
    const text = await sendRaw(target.url, raw('GET /v1 HTTP/1.1', lines))
    expect(text).toMatch(/^HTTP\/1\.1 200 /)
    expect(text).toContain('"userId":"ada"')
  })
})

describe('requests that two parsers could read differently', () => {
  it.each([
    ['a length and chunks', ['content-length: 6', 'transfer-encoding: chunked'], `0\r\n\r\nG`],
    ['chunks and a length', ['transfer-encoding: chunked', 'content-length: 44'], `0\r\n\r\n${BODY}`],
    ['two lengths', ['content-length: 0', `content-length: ${BODY.length}`], BODY],
    ['two lengths in one', [`content-length: 0, ${BODY.length}`], BODY],
    ['a length with a sign', [`content-length: +${BODY.length}`], BODY],
    ['a length in hexadecimal', ['content-length: 0x2c'], BODY],
    ['a length below zero', ['content-length: -1'], BODY],
    ['an encoding that is none', ['transfer-encoding: xchunked'], `2c\r\n${BODY}\r\n0\r\n\r\n`],
    ['chunks that are not last', ['transfer-encoding: chunked, identity'], `2c\r\n${BODY}\r\n0\r\n\r\n`],
    ['a size of a chunk that is none', ['transfer-encoding: chunked'], `zz\r\n${BODY}\r\n0\r\n\r\n`],
    ['a size of a chunk beyond all', ['transfer-encoding: chunked'], `ffffffffffffffffff\r\n${BODY}\r\n0\r\n\r\n`],
    ['a size of a chunk below zero', ['transfer-encoding: chunked'], `-1\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk that ends too late', ['transfer-encoding: chunked'], `5\r\n${BODY}\r\n0\r\n\r\n`],
    ['a blank before the colon', ['content-length : 44'], BODY],
    ['a line that goes on', ['x: y', ' content-length: 44'], BODY],
    ['a bare line feed in a header', ['x: y\ncontent-length: 44'], BODY],
    ['NUL in a header', ['x: y\0'], ''],
  ])('%s: refused as invalid HTTP, and nothing is written', async (_what, lines, body) => {
    await target.harmless(async () => {
      const text = await sendRaw(target.url, append(lines, body))
      expect(text).toMatch(/^HTTP\/1\.1 400 /)
      expect(text).toMatch(/"status":400,"code":"VALIDATION"/)
      expect(text.match(/HTTP\/1\.1 \d/g)).toHaveLength(1)
    })
  })

  it.each(['GET / HTTP/9.9', 'GARBAGE', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 'PRI * HTTP/2.0\r\n\r\nSM'])(
    'the request line %j is refused',
    async (line) => {
      await target.harmless(async () => {
        expect(await sendRaw(target.url, `${line}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 400 /)
      })
    },
  )

  it('bytes after a request without a body are a request of their own, with their own token or none', async () => {
    await target.harmless(async () => {
      const hidden = `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}`
      const text = await sendRaw(target.url, `${raw('GET /v1 HTTP/1.1', [])}${hidden}`)
      expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 401'])
    })
  })
})

it('pipelined requests are answered in order', async () => {
  const roomy = await startTarget()
  const many = Array.from({ length: 50 }, (_, n) => raw(`GET /v1/sessions?limit=${n + 1} HTTP/1.1`, []))
  const text = await sendRaw(roomy.url, many.join(''), raw('GET /v1/nothing HTTP/1.1', ['connection: close']))
  await roomy.server.close()
  const statuses = text.match(/HTTP\/1\.1 \d+/g) ?? []
  expect(statuses).toHaveLength(51)
  expect(statuses.at(-1)).toBe('HTTP/1.1 404')
  expect(new Set(statuses.slice(0, 50))).toEqual(new Set(['HTTP/1.1 200']))
  await target.harmless(async () => {})
})

describe('idle connections', () => {
  let impatient: Target
  beforeAll(async () => {
    impatient = await startTarget({ limits: { requestTimeoutMs: 1000 } })
  })
  afterAll(() => impatient.server.close())

  /** Resolves when the other side is closed, which a write notices. */
  async function dropped(socket: Socket): Promise<void> {
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', () => {}).resume()
    await new Promise((resolve) => socket.once('end', resolve).once('close', resolve))
    const knock = setInterval(() => socket.write('x'), 20)
    await closed
    clearInterval(knock)
  }

  it('delay no other request, and are closed after a while', async () => {
    const sockets = await Promise.all(Array.from({ length: 300 }, () => connected(impatient.url)))
    const all = sockets.map(dropped)
    await impatient.harmless(async () => {})
    await Promise.all(all)
  })
})

it('requests beyond the share of a caller are refused entirely, and accepted ones are completed', async () => {
  const session = await target.server.tl.sessions.create({ userId: 'ada', tenant: 'acme', chatmode: 'crowd' })
  const at = `/v1/sessions/${session.id}/events`
  // five unfinished requests take all slots of the caller
  const waiting = await Promise.all(Array.from({ length: 5 }, () => connected()))
  const first = '{"type":"user_message","content":"'
  for (const socket of waiting) {
    socket.write(append(['content-length: 40', 'connection: close'], first).replace(path, at))
  }
  const body = [
    { type: 'user_message', content: 'a' },
    { type: 'model_message', content: 'b' },
  ]
  const crowd = () =>
    Promise.all(Array.from({ length: 40 }, () => send(target.url, 'POST', at, { token: target.tokens.ada, body })))
  let answers = await crowd()
  // before the five are accepted, some of the others are
  while (answers.some(({ status }) => status === 201)) answers = await crowd()
  for (const { status, headers, body } of answers) {
    expect([status, (body as { code: string }).code, headers['retry-after']]).toEqual([429, 'RATE_LIMITED', '1'])
  }
  for (const who of ['bob', 'eve'] as const) {
    expect((await send(target.url, 'GET', '/v1', { token: target.tokens[who] })).status).toBe(200)
  }
  const before = (await session.record()).head
  const ends = waiting.map(
    (socket) => new Promise<string>((resolve) => socket.setEncoding('utf8').once('data', resolve)),
  )
  for (const socket of waiting) socket.write('done"}')
  expect((await Promise.all(ends)).map((text) => text.slice(0, 12))).toEqual(Array(5).fill('HTTP/1.1 201'))
  const events = await session.events({ limit: 500, types: ['user_message', 'model_message'] })
  expect((await session.record()).head).toBe(before + 5)
  // both events of each written pair are there
  expect(events.filter(({ content }) => content === 'a').length).toBe(
    events.filter(({ content }) => content === 'b').length,
  )
  await target.harmless(async () => {})
})

it('callers who disconnect before the response free their slot, with a token or without', async () => {
  await target.harmless(async () => {
    for (const token of [target.tokens.ada, 'garbage']) {
      for (let i = 0; i < 30; i++) {
        const socket = await connected()
        const text = append([`content-length: ${BODY.length}`], BODY.slice(0, 10)).replace(target.tokens.ada, token)
        await new Promise((resolve) => socket.write(text, resolve))
        await new Promise((resolve) => socket.once('close', resolve).resetAndDestroy())
      }
    }
    let answer = await send(target.url, 'GET', '/v1', { token: target.tokens.ada })
    while (answer.status === 429) answer = await send(target.url, 'GET', '/v1', { token: target.tokens.ada })
    expect(answer.status).toBe(200)
  })
})
