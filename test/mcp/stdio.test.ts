import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/domain/limits.ts'
import { open, type Throughline } from '../../src/index.ts'
import { startServer, tokenOf } from '../servers/http.ts'
import { trackProcess } from '../servers/test-run.ts'
import { CLI, CLIENT_KINDS, type McpClient } from './clients.ts'
import { tour } from './tour.ts'

let folder: string
let url: string
/** The same store, from this process. */
let tl: Throughline
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  url = `sqlite:${join(folder, 'sessions.db')}`
  tl = await open({ url, index: false })
})
afterAll(async () => {
  await tl.close()
  await rm(folder, { recursive: true })
})

const argsFor = (user: string) => ['--url', url, 'mcp', '--user', user]

describe.each(CLIENT_KINDS)('$name over stdio', ({ name, connect, watch }) => {
  it('calls every tool, reads every resource, and sees nothing of others', async () => {
    const client = await connect({ args: argsFor(name) })
    try {
      const sessionId = await tour(client)
      expect((await (await tl.sessions.get(sessionId)).record()).userId).toBe(name)
      const theirs = await tl.sessions.create({ userId: 'somebody else', task: 'secret' })
      const { content, isError } = await client.callTool({ name: 'read_session', arguments: { sessionId: theirs.id } })
      expect({ isError, text: content[0]?.text }).toMatchObject({
        isError: true,
        text: expect.stringMatching(/^SESSION_NOT_FOUND/),
      })
      expect(JSON.stringify(await client.callTool({ name: 'list_sessions', arguments: {} }))).not.toContain('secret')
      await checkNotified(client, watch, name)
    } finally {
      await client.close()
    }
  })
})

/** Checks that a client is notified of the writes of others. */
async function checkNotified(
  client: McpClient,
  watch: (typeof CLIENT_KINDS)[number]['watch'],
  userId: string,
): Promise<void> {
  const session = await tl.sessions.create({ userId })
  const uri = `throughline://sessions/${session.id}/events`
  const { promise, resolve } = Promise.withResolvers<void>()
  expect(client.getServerCapabilities()?.resources?.subscribe).toBe(true)
  await watch(client, uri, resolve)
  await session.addMessage({ role: 'user', content: 'from another process' })
  await promise
  const { contents } = await client.readResource({ uri })
  expect(contents[0]?.text).toContain('from another process')
}

/** A process that speaks the protocol line by line, without a client library. */
function raw(args: readonly string[], env: Record<string, string> = {}) {
  const child = trackProcess(spawn(process.execPath, [CLI, ...args], { env: { ...process.env, ...env } }))
  const out = { lines: [] as { id?: number; result?: unknown; error?: unknown }[], errors: '' }
  let rest = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    // fails the test if a line is not a message
    out.lines.push(...parts.map((line) => JSON.parse(line)))
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    out.errors += text
  })
  child.stdin.on('error', () => {})
  /** Sends all messages in one write, so that none is done before the rest has arrived. */
  const send = (...messages: object[]) =>
    child.stdin.write(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
  const greet = () => {
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }
    send({ id: 0, method: 'initialize', params })
    send({ method: 'notifications/initialized' })
  }
  const say = (sessionId: string) => {
    const saying = (id: number) => ({ sessionId, messages: [{ role: 'user', content: `number ${id}` }] })
    send(...NUMBERS.map((id) => ({ id, method: 'tools/call', params: { name: 'say', arguments: saying(id) } })))
  }
  const ended = once(child, 'close').then(([code]) => ({ code, ...out }))
  const started = Promise.race([once(child.stdout, 'data'), ended])
  return { child, send, greet, say, started, ended }
}

const NUMBERS = Array.from({ length: 20 }, (_, i) => i + 1)
const saidIn = async (id: string) => (await (await tl.sessions.get(id)).messages()).map(({ content }) => content)
const everyone = NUMBERS.map((n) => `number ${n}`)

describe('throughline mcp', () => {
  it('answers every message before the end of its input, writes nothing else, and exits with 0', async () => {
    const { id } = await tl.sessions.create({ userId: 'raw' })
    // other output goes to stderr
    const noise = `--import=data:text/javascript,process.on('exit',()=>console.log('noise'))`
    const { child, greet, say, ended } = raw(argsFor('raw'), { NODE_OPTIONS: noise })
    greet()
    say(id)
    child.stdin.end()
    const { code, lines, errors } = await ended
    expect({ code, errors }).toEqual({ code: 0, errors: 'noise\n' })
    expect(lines.map((line) => line.id).toSorted((a = 0, b = 0) => a - b)).toEqual([0, ...NUMBERS])
    expect(await saidIn(id)).toEqual(everyone)
  })

  it.each(['SIGTERM', 'SIGINT'] as const)('completes accepted requests on %s', async (signal) => {
    const { id } = await tl.sessions.create({ userId: 'raw' })
    const { child, greet, say, send, started, ended } = raw(argsFor('raw'))
    greet()
    send({ id: 99, method: 'resources/subscribe', params: { uri: `throughline://sessions/${id}` } })
    say(id)
    await started
    child.kill(signal)
    const { code, lines } = await ended
    const answered = NUMBERS.filter((n) => lines.some((line) => line.id === n && line.error === undefined))
    expect(code).toBe(0)
    expect(await saidIn(id)).toEqual(answered.map((n) => `number ${n}`))
  })

  it('finishes accepted calls when its reader is gone', async () => {
    const { id } = await tl.sessions.create({ userId: 'raw' })
    const { child, greet, say, started, ended } = raw(argsFor('raw'))
    greet()
    await started
    child.stdout.destroy()
    say(id)
    const { code } = await ended
    expect(code).toBe(0)
    expect(await saidIn(id)).toEqual(everyone)
  })

  it('continues after lines that are not messages, and does not repeat them', async () => {
    const { child, greet, send, ended } = raw(argsFor('raw'))
    child.stdin.write('garbage\n\n{"secret":1}\n[]\nnull\n{"jsonrpc":"2.0","id":{},"method":7}\n\0\xff\n')
    child.stdin.write(`${'['.repeat(100_000)}\n`)
    greet()
    send({ id: 1, method: 'no/such/method' })
    send({ id: 2, method: 'tools/call', params: { name: 'list_sessions', arguments: { __proto__: 1, limit: 'many' } } })
    send({ id: 3, method: 'tools/call', params: 'no params' })
    send({ id: 4, method: 'tools/list' })
    child.stdin.end()
    const { code, lines, errors } = await ended
    expect(code).toBe(0)
    const byId = new Map(lines.map((line) => [line.id, line]))
    expect(byId.get(1)).toMatchObject({ error: { code: -32601 } })
    expect(byId.get(2)).toMatchObject({ result: { isError: true } })
    expect(byId.get(4)).toMatchObject({ result: { tools: expect.any(Array) } })
    expect(errors).not.toContain('secret')
    // a few words and no stack
    const words = errors.trim().split('\n')
    expect(words.every((line) => line.startsWith('throughline mcp: '))).toBe(true)
    expect(words.filter((line) => line.includes('not a JSON-RPC message'))).toHaveLength(5)
    expect(words).toHaveLength(6)
  })

  it('ends with one sentence after a line beyond the limit, once earlier messages are answered', async () => {
    const { id } = await tl.sessions.create({ userId: 'raw' })
    const { child, greet, say, ended } = raw(argsFor('raw'))
    greet()
    say(id)
    child.stdin.write('x'.repeat(33 * 1024 * 1024))
    const { code, lines, errors } = await ended
    expect({ code, errors }).toEqual({
      code: 2,
      errors: expect.stringMatching(/^error TOO_LARGE: .*\b33554432\b.*\n$/),
    })
    expect(lines).toHaveLength(NUMBERS.length + 1)
    expect(await saidIn(id)).toEqual(everyone)
  })

  it('accepts a message of the maximum size', async () => {
    const { id } = await tl.sessions.create({ userId: 'raw' })
    const { child, greet, send, ended } = raw(argsFor('raw'))
    const content = 'ü'.repeat(LIMITS.content)
    greet()
    send({
      id: 1,
      method: 'tools/call',
      params: { name: 'say', arguments: { sessionId: id, messages: [{ role: 'user', content }] } },
    })
    child.stdin.end()
    const { code, errors } = await ended
    expect({ code, errors }).toEqual({ code: 0, errors: '' })
    expect((await saidIn(id))[0] === content).toBe(true)
  })

  it('exits at once while the store does not answer, and says what it waits for', async () => {
    // accepts connections, and never answers
    const silent = createServer(() => {}).listen(0, '127.0.0.1')
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const args = ['--url', `postgres://ada:geheim@127.0.0.1:${port}/sessions`, 'mcp', '--user', 'raw']
    try {
      const [terminated, interrupted, gone] = [raw(args), raw(args), raw(args)]
      await Promise.all([terminated, interrupted, gone].map(({ child }) => once(child.stderr, 'data')))
      const since = Date.now()
      terminated.child.kill('SIGTERM')
      interrupted.child.kill('SIGINT')
      gone.child.stdin.end()
      const codes = await Promise.all([terminated, interrupted, gone].map(async ({ ended }) => (await ended).code))
      expect(codes).toEqual([143, 130, 0])
      // the store has a timeout of 15 seconds
      expect(Date.now() - since).toBeLessThan(5000)
      const { errors } = await gone.ended
      expect(errors).toBe('throughline mcp: waiting for the store (postgres); press Ctrl-C to stop\n')
    } finally {
      silent.close()
    }
  })

  it('prints on stderr why it cannot start, and uses the system user if none is named', async () => {
    const broken = raw(['--url', `${url}/below-a-file.db`, 'mcp'])
    broken.child.stdin.end()
    expect(await broken.ended).toMatchObject({ code: 5, lines: [], errors: expect.stringContaining('STORAGE') })
    const unread = raw(['--url', 'nonsense:x', 'mcp'])
    unread.child.stdin.end()
    expect(await unread.ended).toMatchObject({
      code: 2,
      lines: [],
      errors: expect.stringMatching(/^error VALIDATION: .*\n$/),
    })
    const wrong = raw(['--url', url, 'mcp', '--port', '1'])
    expect(await wrong.ended).toMatchObject({ code: 2, lines: [], errors: expect.stringContaining('--http') })
    const { child, greet, send, ended } = raw(
      ['--url', url, 'mcp', '--tenant', 'acme', '--agents', 'writer, reviewer'],
      { THROUGHLINE_USER: 'of the environment' },
    )
    greet()
    send({ id: 1, method: 'tools/call', params: { name: 'start_session', arguments: { agent: 'reviewer' } } })
    child.stdin.end()
    expect((await ended).code).toBe(0)
    const { items } = await tl.sessions.list({ tenant: 'acme' })
    expect(items).toMatchObject([{ userId: 'of the environment', activeAgent: 'reviewer' }])
  })

  it('works through a server, as the user of the token', async () => {
    const server = await startServer({ url: 'memory:' })
    const token = await tokenOf({ tenant: 'acme', sub: 'ada' })
    const [kind] = CLIENT_KINDS
    const client = await kind?.connect({ args: ['--url', server.url, 'mcp'], env: { THROUGHLINE_TOKEN: token } })
    try {
      const id = await tour(client as McpClient)
      expect(await (await server.tl.sessions.get(id)).record()).toMatchObject({ tenant: 'acme', userId: 'ada' })
    } finally {
      await client?.close()
      await server.close()
    }
  })
})
