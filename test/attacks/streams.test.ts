import { get, type IncomingMessage } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectProblem, type Person, send, startTarget, type Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget({ limits: { streamsPerCaller: 3, streams: 8 } })
})
afterAll(() => target.server.close())

/** An open stream, and its text so far. */
interface Stream {
  status: number
  headers: IncomingMessage['headers']
  /** Reads until the text holds this, or the stream ends. */
  until(part: string): Promise<string>
  close(): Promise<void>
}

async function follow(who: Person, id: string, query = '', headers: Record<string, string> = {}): Promise<Stream> {
  const url = `${target.url}/v1/sessions/${id}/stream${query}`
  const options = { agent: false, headers: { authorization: `Bearer ${target.tokens[who]}`, ...headers } } as const
  const incoming = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, options, resolve).once('error', reject)
  })
  incoming.once('error', () => {})
  const chunks = incoming.setEncoding('utf8')[Symbol.asyncIterator]()
  let text = ''
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    async until(part) {
      while (!text.includes(part)) {
        const { done, value } = await chunks.next()
        if (done === true) break
        text += value as string
      }
      return text
    },
    async close() {
      const closed = new Promise((resolve) => incoming.once('close', resolve))
      incoming.destroy()
      await closed
    },
  }
}

describe('a stream', () => {
  it.each<Person>(['eve', 'bob'])('of Ada’s session does not exist for %s, whatever its start', async (who) => {
    await target.harmless(async () => {
      for (const query of ['', '?after=0', '?after=1000']) {
        const path = `/v1/sessions/${target.sessions.ada}/stream${query}`
        expectProblem(await send(target.url, 'GET', path, { token: target.tokens[who] }), 404, 'SESSION_NOT_FOUND')
      }
    })
  })

  it('ends with a problem when its session is purged', async () => {
    const session = await target.server.tl.sessions.create({ userId: 'ada', tenant: 'acme', chatmode: 'purged' })
    const stream = await follow('ada', session.id)
    await stream.until('session_started')
    await target.server.tl.sessions.purge(session.id)
    const text = await stream.until('the stream has ended')
    expect(text).toMatch(/event: problem\ndata: {[^\n]*"status":404,"code":"SESSION_NOT_FOUND"[^\n]*}\n\n$/)
  })

  it.each([
    '-1',
    '1.5',
    'text',
    '',
    ' ',
    '0x10',
    '1e3',
    'NaN',
    'Infinity',
    '99999999999999999999',
    '1,2',
    "1' or '1'='1",
    '__proto__',
  ])('that starts after %j is refused', async (last) => {
    await target.harmless(async () => {
      const path = `/v1/sessions/${target.sessions.ada}/stream`
      const token = target.tokens.ada
      const header = await send(target.url, 'GET', path, { token, headers: { 'last-event-id': last } })
      expectProblem(header, 400, 'VALIDATION', 'after')
      const query = await send(target.url, 'GET', `${path}?after=${encodeURIComponent(last)}`, { token })
      expectProblem(query, 400, 'VALIDATION', 'after')
    })
  })

  it('that starts after a future sequence sends nothing yet', async () => {
    const stream = await follow('ada', target.sessions.ada, '', { 'last-event-id': String(Number.MAX_SAFE_INTEGER) })
    expect(stream.status).toBe(200)
    expect(await stream.until('here')).toBe(': here\n\n')
    await stream.close()
  })
})

describe('too many streams', () => {
  const all: Stream[] = []
  const open = async (who: Person) => {
    const stream = await follow(who, target.sessions[who])
    all.push(stream)
    return stream
  }
  /** Retries, because the server needs a moment to notice closed streams. */
  const opened = async (who: Person) => {
    for (let stream = await open(who); ; stream = await open(who)) if (stream.status === 200) return stream
  }

  it('of one caller are refused to that caller only, those of its tenant to that tenant only, until some end', async () => {
    await target.harmless(async () => {
      for (const who of ['ada', 'ada', 'ada'] as const) expect((await opened(who)).status).toBe(200)
      const fourth = await send(target.url, 'GET', `/v1/sessions/${target.sessions.ada}/stream`, {
        token: target.tokens.ada,
      })
      expectProblem(fourth, 429, 'TOO_MANY_STREAMS')
      expect((await opened('bob')).status).toBe(200)
      const sixth = await send(target.url, 'GET', `/v1/sessions/${target.sessions.bob}/stream`, {
        token: target.tokens.bob,
      })
      expectProblem(sixth, 429, 'RATE_LIMITED')
      expect((await opened('eve')).status).toBe(200)
      expect(sixth.headers['retry-after']).toBe('1')
    })
    for (const stream of all.splice(0)) await stream.close()
    for (const who of ['eve', 'eve', 'eve', 'ada', 'ada'] as const) expect((await opened(who)).status).toBe(200)
    for (const stream of all.splice(0)) await stream.close()
  })

  it('that were refused, or closed before they started, do not count', async () => {
    for (let i = 0; i < 20; i++) {
      const missing = await follow('ada', '01890000-0000-7000-8000-000000000000')
      expect(missing.status).toBe(404)
      await missing.close()
    }
    for (const who of ['ada', 'ada', 'ada'] as const) await opened(who)
    for (const stream of all.splice(0)) await stream.close()
  })
})
