import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Server, serve } from '../../src/serve.ts'
import { expectProblem, send, sendRaw, startTarget, type Target, type TestResponse } from '../attacks/target.ts'

const ACCEPT = { accept: 'application/json, text/event-stream' }
const call = (name: string, args: unknown, id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
})
const start = call('start_session', { task: 'from outside' })

describe('/mcp of a server with a key', () => {
  let target: Target
  beforeAll(async () => {
    target = await startTarget({ limits: { body: 1024 * 1024 } })
  })
  afterAll(() => target.server.close())

  const post = (body: unknown, headers: Record<string, string> = {}, token = target.tokens.ada) =>
    send(target.url, 'POST', '/mcp', { token, headers: { ...ACCEPT, ...headers }, body })
  /** The text of a tool's result, or the message of an error. */
  const textIn = ({ body }: TestResponse) => {
    const { result, error } = body as { result?: { content: { text: string }[] }; error?: { message: string } }
    return result?.content[0]?.text ?? error?.message ?? ''
  }

  it.each(['POST', 'GET', 'DELETE'])('refuses %s without a valid token', async (method) => {
    await target.harmless(async () => {
      const tokens = [undefined, 'no token', `${target.tokens.ada}x`]
      for (const token of tokens) {
        const sending = {
          headers: ACCEPT,
          ...(token !== undefined && { token }),
          ...(method === 'POST' && { body: start }),
        }
        const answer = await send(target.url, method, '/mcp', sending)
        expectProblem(answer, 401, 'UNAUTHENTICATED')
        expect(answer.headers['www-authenticate']).toBe('Bearer')
      }
    })
  })

  it('returns nothing of another user, with any tool', async () => {
    await target.harmless(async () => {
      const { sessions, memories, tokens } = target
      const tools: [string, object][] = [
        ['read_session', {}],
        ['say', { messages: [{ role: 'user', content: 'x' }] }],
        ['note', { text: 'x' }],
        ['ask', { question: 'x' }],
        ['answer', { text: 'x' }],
        ['propose', { summary: 'x' }],
        ['finish_session', { outcome: 'ended' }],
        ['list_requests', {}],
        ['resolve_request', { requestId: 'r', value: true }],
        ['hand_off', { to: 'motivator', reason: 'x' }],
        ['take_handoff', {}],
        ['read_scratchpad', {}],
        ['update_scratchpad', { patch: { secret: null } }],
        ['build_context', { recall: true }],
        ['claim_session', {}],
        ['find_step', { run: 1, key: 'x' }],
        ['complete_step', { run: 1, key: 'x', result: 'x' }],
        ['finish_run', { run: 1 }],
        ['cancel_run', {}],
      ]
      for (const owner of ['bob', 'eve'] as const) {
        for (const [name, args] of tools) {
          const answer = await post(call(name, { sessionId: sessions[owner], ...args }))
          expect(textIn(answer), name).toMatch(/^SESSION_NOT_FOUND/)
          expect(answer.text).not.toContain(`secret of ${owner}`)
        }
        expect(textIn(await post(call('forget', { memoryId: memories[owner] })))).toMatch(/^MEMORY_NOT_FOUND/)
        const events = { uri: `throughline://sessions/${sessions[owner]}/events` }
        expect(textIn(await post({ jsonrpc: '2.0', id: 1, method: 'resources/read', params: events }))).toMatch(
          /not found/i,
        )
        const as = await post(start, { 'throughline-as': `tenant=acme&userId=${owner}` })
        expect(as.status).toBe(400)
      }
      expect(textIn(await post(call('recall', { query: 'secret memory' }, 7), {}, tokens.ada))).not.toMatch(
        /of (bob|eve)/,
      )
    })
  })

  it.each([
    ['no JSON', '{"jsonrpc"', 'VALIDATION'],
    ['JSON that is cut', JSON.stringify(start).slice(0, -1), 'VALIDATION'],
    ['more than is taken', JSON.stringify({ ...start, more: 'x'.repeat(1024 * 1024) }), 'TOO_LARGE'],
    ['brackets without end', `${'['.repeat(100_000)}`, 'VALIDATION'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x7b]), 'VALIDATION'],
  ])('refuses %s', async (_what, body, code) => {
    await target.harmless(async () => {
      const answer = await post(body)
      expectProblem(answer, code === 'TOO_LARGE' ? 413 : 400, code)
    })
  })

  it('refuses everything that an HTML form could send', async () => {
    await target.harmless(async () => {
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
        expectProblem(await post(JSON.stringify(start), { 'content-type': type }), 400, 'VALIDATION')
      }
    })
  })

  it('survives malformed messages of every shape', async () => {
    await target.harmless(async () => {
      const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
      const { ada } = target.sessions
      const shapes: unknown[] = [
        null,
        7,
        'text',
        [],
        [[]],
        {},
        { jsonrpc: '1.0', id: 1, method: 'tools/list' },
        { jsonrpc: '2.0', id: {}, method: 'tools/list' },
        { jsonrpc: '2.0', id: 1, method: {} },
        { jsonrpc: '2.0', id: 1, method: 'tools/call' },
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: [] },
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: '__proto__', arguments: {} } },
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'constructor', arguments: {} } },
        { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'file:///etc/passwd' } },
        { jsonrpc: '2.0', id: 1, method: 'resources/read', params: { uri: 'throughline://sessions/../../etc' } },
        { jsonrpc: '2.0', id: 1, method: 'prompts/get', params: { name: 'constructor' } },
        { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params: { notifications: {} } },
        { jsonrpc: '2.0', id: 1, result: {} },
        call('read_scratchpad', 'DEEP'),
        call('update_scratchpad', { sessionId: ada, patch: 'DEEP' }),
        call('update_scratchpad', JSON.parse(`{"sessionId":"${ada}","patch":{"__proto__":{"polluted":1}}}`)),
        call('hand_off', { sessionId: ada, to: 'motivator', reason: 'x', context: 'DEEP' }),
        call('say', {
          sessionId: ada,
          messages: [{ role: 'assistant', toolCalls: [{ id: 'x', name: 'x', arguments: 'DEEP' }] }],
          idempotencyKey: '',
        }),
        call('list_sessions', { limit: 1e9 }),
        call('list_sessions', { cursor: "' or 1=1 --" }),
        call('read_session', { sessionId: ada, turns: -1 }),
        call('build_context', { sessionId: ada, maxTokens: 1e15 }),
      ]
      for (const shape of shapes) {
        const body = JSON.stringify(shape)
        const { status, text } = await post(body.replace('"DEEP"', deep))
        expect(status, body).toBeLessThan(500)
        expect(text, body).not.toMatch(/node_modules|at Object\.|INTERNAL/)
      }
    })
  })

  it('keeps no stream open, whatever a client requests', async () => {
    expect(
      (await send(target.url, 'GET', '/mcp', { token: target.tokens.ada, headers: { accept: 'text/event-stream' } }))
        .status,
    ).toBe(405)
    expect(
      (await send(target.url, 'DELETE', '/mcp', { token: target.tokens.ada, headers: { 'mcp-session-id': 'x' } }))
        .status,
    ).toBe(405)
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const uri = `throughline://sessions/${target.sessions.ada}`
    const params = { _meta: meta, notifications: { resourceSubscriptions: [uri], toolsListChanged: true } }
    const listen = { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' }
    // an open stream would never end
    const { status, text } = await post(listen, headers)
    expect({ status, text }).toMatchObject({ status: 200, text: expect.stringContaining('acknowledged') })
    expect(text).not.toContain('resourceSubscriptions')
  })
})

describe('/mcp of a server without a key', () => {
  let server: Server
  let port: string
  beforeAll(async () => {
    server = await serve({ url: 'memory:', port: 0, log: 'silent' })
    port = new URL(server.url).port
  })
  afterAll(() => server.close())

  it.each([
    { host: 'evil.example' },
    { host: '127.0.0.1.evil.example:PORT' },
    { host: '0.0.0.0:PORT' },
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:1' },
    { origin: 'null' },
  ])('refuses foreign origins and host names: %j', async (given) => {
    const headers = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value.replace('PORT', port)]),
    )
    const answer = await send(server.url, 'POST', '/mcp', { headers: { ...ACCEPT, ...headers }, body: start })
    expectProblem(answer, 401, 'UNAUTHENTICATED')
    expect(await server.tl.sessions.list()).toEqual({ items: [] })
  })

  it('refuses a preflight request of another site', async () => {
    const headers = { origin: 'https://evil.example', 'access-control-request-method': 'POST' }
    const { status, headers: answered } = await send(server.url, 'OPTIONS', '/mcp', { headers })
    expect(status).toBe(404)
    expect(Object.keys(answered).filter((name) => name.startsWith('access-control'))).toEqual([])
    expect((await sendRaw(server.url, 'POST /mcp HTTP/1.0\r\n\r\n')).slice(0, 12)).toBe('HTTP/1.1 401')
  })
})
