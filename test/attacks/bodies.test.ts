import { connect, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem, send, sendRaw, startTarget, type Target } from './target.ts'

const MB = 1024 * 1024
const EVENT = { type: 'user_message', content: 'x' }

let target: Target
let path: string
beforeAll(async () => {
  // a third of each for one caller
  target = await startTarget({ limits: { requests: 9, bodies: 120 * MB } })
  path = `/v1/sessions/${target.sessions.ada}/events`
})
afterAll(() => target.server.close())

const post = (body: unknown, headers: Record<string, string> = {}) =>
  send(target.url, 'POST', path, { token: target.tokens.ada, body, headers })

/** The head of an append request, with these extra header lines. */
const head = (...lines: string[]) =>
  [
    `POST ${path} HTTP/1.1`,
    'host: localhost',
    `authorization: Bearer ${target.tokens.ada}`,
    'content-type: application/json',
    ...lines,
    '\r\n',
  ].join('\r\n')

function connected(): Promise<Socket> {
  const { hostname, port } = new URL(target.url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket)).once('error', reject)
  })
}

/**
 * Sends a body piece by piece until there is a response. The server cuts the connection, which sometimes loses its
 * last bytes, since more of the body is on its way: then it tries again.
 */
async function poured(first: string, piece: Uint8Array, most: number): Promise<{ text: string; sent: number }> {
  for (;;) {
    const socket = await connected()
    let text = ''
    let sent = 0
    socket.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    socket.on('error', () => {}).write(first)
    for (; sent < most && text === '' && !socket.destroyed; sent++) {
      await new Promise<void>((resolve) => socket.write(piece, () => resolve()))
    }
    await closed
    if (text !== '') return { text, sent }
  }
}

describe('a body that is too large', () => {
  it('is refused by its announced length before any of it is read, and the connection is closed', async () => {
    await target.harmless(async () => {
      const text = await sendRaw(target.url, head(`content-length: ${50 * MB}`))
      expect(text).toMatch(/^HTTP\/1\.1 413 /)
      expect(text).toMatch(/"code":"TOO_LARGE".*"limit":33554432,"actual":52428800/)
    })
  })

  it('is cut off at the limit if no length is announced', async () => {
    const chunk = Buffer.concat([Buffer.from(`${MB.toString(16)}\r\n`), Buffer.alloc(MB, '['), Buffer.from('\r\n')])
    await target.harmless(async () => {
      const { text, sent } = await poured(head('transfer-encoding: chunked'), chunk, 50)
      expect(sent).toBeLessThan(50)
      expect(text).toMatch(/^HTTP\/1\.1 413 /)
      expect(text).toMatch(/"code":"TOO_LARGE".*"limit":33554432/)
    })
  })

  it('is refused with the name of the field that holds more than 8 MB', async () => {
    await target.harmless(async () => {
      expectProblem(await post({ ...EVENT, content: 'x'.repeat(8 * MB + 1) }), 413, 'TOO_LARGE', 'content')
      expectProblem(await post(Array(1001).fill(EVENT)), 413, 'TOO_LARGE', 'events')
    })
  })
})

describe('a body that does not arrive', () => {
  let impatient: Target
  beforeAll(async () => {
    impatient = await startTarget({ limits: { requestTimeoutMs: 1000 } })
  })
  afterAll(() => impatient.server.close())

  it('in time is abandoned, and other requests are served meanwhile', async () => {
    await impatient.harmless(async () => {
      const began = performance.now()
      const slow = sendRaw(impatient.url, head('content-length: 1000'), '[{"type":')
      expect((await send(impatient.url, 'GET', '/v1', { token: impatient.tokens.ada })).status).toBe(200)
      const text = await slow
      expect(text).toMatch(/^HTTP\/1\.1 408 /)
      expect(text).toMatch(/"status":408,"code":"VALIDATION"/)
      // Node itself would check only after half a minute
      expect(performance.now() - began).toBeLessThan(10_000)
    })
  })

  it('and whose headers do not arrive either: the connection is closed', async () => {
    await impatient.harmless(async () => {
      const text = await sendRaw(impatient.url, `POST ${path} HTTP/1.1\r\nhost: localhost\r\nx-slow: `)
      expect(text).toMatch(/^HTTP\/1\.1 408 /)
    })
  })

  it('because its sender disconnected leaves nothing behind and frees its slot', async () => {
    await target.harmless(async () => {
      // more than the concurrency limit
      for (let i = 0; i < 6; i++) {
        const socket = await connected()
        await new Promise((resolve) => socket.write(`${head('content-length: 1000')}[{"type":`, resolve))
        await new Promise((resolve) => socket.once('close', resolve).resetAndDestroy())
      }
      let answer = await send(target.url, 'GET', '/v1', { token: target.tokens.ada })
      while (answer.status === 503) answer = await send(target.url, 'GET', '/v1', { token: target.tokens.ada })
      expect(answer.status).toBe(200)
    })
  })
})

describe('a body with another content type or encoding', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'text/json',
    'application/json5',
    '*/*',
    'x/y',
  ])('as %s is refused', async (type) => {
    await target.harmless(async () => {
      expectProblem(await post(JSON.stringify(EVENT), { 'content-type': type }), 400, 'VALIDATION', 'content-type')
    })
  })

  it('gzip is not decompressed, so a small body cannot become a large one', async () => {
    await target.harmless(async () => {
      const packed = gzipSync(JSON.stringify({ ...EVENT, content: 'x'.repeat(30 * MB) }))
      expectProblem(await post(packed, { 'content-encoding': 'gzip' }), 400, 'VALIDATION', 'body')
    })
  })
})

describe('a body that is not UTF-8', () => {
  const around = (bytes: number[]) =>
    Buffer.concat([Buffer.from('{"type":"user_message","content":"'), Buffer.from(bytes), Buffer.from('"}')])

  it.each([
    ['a byte that begins nothing', around([0xff])],
    ['a sequence that is cut short', around([0xe2, 0x82])],
    ['a slash in two bytes', around([0xc0, 0xaf])],
    ['NUL in two bytes', around([0xc0, 0x80])],
    ['half a surrogate pair in three bytes', around([0xed, 0xa0, 0x80])],
    ['a character beyond the last', around([0xf4, 0x90, 0x80, 0x80])],
    ['such a byte in a key', Buffer.concat([Buffer.from('{"type'), Buffer.from([0xff]), Buffer.from('":"x"}')])],
    ['UTF-16', Buffer.from(`\ufeff${JSON.stringify(EVENT)}`, 'utf16le')],
    ['UTF-16 without a mark', Buffer.from(JSON.stringify(EVENT), 'utf16le')],
    ['a byte order mark', Buffer.from(`\ufeff${JSON.stringify(EVENT)}`)],
  ])('%s: refused', async (_what, bytes) => {
    await target.harmless(async () => expectProblem(await post(bytes), 400, 'VALIDATION', 'body'))
  })

  it.each([
    ['a lone surrogate', '\\ud800'],
    ['a lone surrogate at the end of a pair', '\\udc00'],
    ['a pair the wrong way round', '\\udc00\\ud800'],
    ['NUL', '\\u0000'],
  ])('an escaped %s is refused anywhere in the body', async (_what, escaped) => {
    const texts = [
      ['events', `{"type":"user_message","content":"${escaped}"}`],
      ['events', `{"type":"user_message","content":"x","agentId":"${escaped}"}`],
      ['events', `{"type":"user_message","content":"x","parts":{"a":["${escaped}"]}}`],
      ['events', `{"type":"user_message","content":"x","parts":{"${escaped}":1}}`],
      ['events', `{"type":"x.${escaped}","content":"x"}`],
      ['messages', `{"role":"user","content":"${escaped}"}`],
      ['interrupt', `{"text":"${escaped}"}`],
      ['state/add', `{"key":"${escaped}","value":1}`],
      ['fork', `{"metadata":{"${escaped}":1}}`],
      ['fork', `{"chatmode":"${escaped}"}`],
      ['steps', `{"observations":[{"kind":"note","text":"${escaped}"}]}`],
    ] as const
    await target.harmless(async () => {
      for (const [route, body] of texts) {
        const at = path.replace('events', route)
        expectProblem(await send(target.url, 'POST', at, { token: target.tokens.ada, body }), 400, 'VALIDATION')
      }
    })
  })
})

it.each(['{', '[1,', '{"type":"user_message",}', "{'type':1}", '01', 'undefined', 'NaN', '\0', '{}{}', '\u00a0{}'])(
  'a body that is %j is not JSON',
  async (body) => {
    await target.harmless(async () => expectProblem(await post(body), 400, 'VALIDATION', 'body'))
  },
)

it('bodies that exceed the share of a caller are refused with Retry-After, and nothing of them is kept', async () => {
  await target.harmless(async () => {
    const first = await connected()
    const size = 30 * MB
    await new Promise((resolve) => first.write(head(`content-length: ${size + 2}`), resolve))
    await new Promise((resolve) => first.write(Buffer.alloc(size, ' '), resolve))
    const { text } = await poured(head(`content-length: ${size}`), Buffer.alloc(MB, ' '), 30)
    expect(text).toMatch(/^HTTP\/1\.1 429 /)
    expect(text).toMatch(/\r\nretry-after: 1\r\n/)
    expect(text).toMatch(/"code":"RATE_LIMITED".*"limit":"bodies"/)
    const others = { token: target.tokens.eve, body: { ...EVENT, type: 'x y', content: 'x'.repeat(7 * MB) } }
    const at = `/v1/sessions/${target.sessions.eve}/events`
    expectProblem(await send(target.url, 'POST', at, others), 400, 'VALIDATION')
    const answered = new Promise<string>((resolve) => first.setEncoding('utf8').once('data', resolve))
    first.write('[]')
    expect(await answered).toMatch(/^HTTP\/1\.1 400 /)
    first.destroy()
    // the capacity of the two is free again
    expectProblem(await post({ ...EVENT, type: 'x y', content: 'x'.repeat(7 * MB) }), 400, 'VALIDATION')
  })
})
