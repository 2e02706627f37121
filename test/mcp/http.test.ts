import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Server, serve } from '../../src/serve.ts'
import { withDatabaseFile } from '../proof.ts'
import { startServer, tokenOf } from '../servers/http.ts'
import { trackProcess } from '../servers/test-run.ts'
import { CLI, CLIENT_KINDS, type ClientKind, type McpClient } from './clients.ts'
import { tour } from './tour.ts'

let server: Server
beforeAll(async () => {
  server = await startServer({ url: 'memory:' })
})
afterAll(() => server.close())

/** Connects with a token with these claims. */
async function enter(
  { connect }: ClientKind,
  claims: Record<string, unknown>,
  more: { query?: string; as?: string } = {},
) {
  const headers = {
    authorization: `Bearer ${await tokenOf(claims)}`,
    ...(more.as !== undefined && { 'throughline-as': more.as }),
  }
  return await connect({ url: `${server.url}/mcp${more.query ?? ''}`, headers })
}

async function closing<T>(client: McpClient, work: (client: McpClient) => Promise<T>): Promise<T> {
  try {
    return await work(client)
  } finally {
    await client.close()
  }
}

const started = async (client: McpClient): Promise<string> =>
  (await client.callTool({ name: 'start_session', arguments: { task: 'theirs' } })).structuredContent.session.id

describe.each(CLIENT_KINDS)('$name over HTTP', (kind) => {
  const { name } = kind

  it('calls every tool and reads every resource as the user of the token, and sees nothing of others', async () => {
    const [ada, bob] = [`ada, ${name}`, `bob, ${name}`]
    const id = await closing(await enter(kind, { tenant: 'acme', sub: ada }), async (client) => {
      expect(client.getServerCapabilities()?.resources?.subscribe).toBeFalsy()
      return await tour(client)
    })
    expect(await (await server.tl.sessions.get(id)).record()).toMatchObject({ tenant: 'acme', userId: ada })
    for (const claims of [
      { tenant: 'acme', sub: bob },
      { tenant: 'globex', sub: ada },
    ]) {
      await closing(await enter(kind, claims), async (client) => {
        const call = (tool: string, args: object) => client.callTool({ name: tool, arguments: { ...args } })
        expect((await call('list_sessions', {})).structuredContent.sessions).toEqual([])
        expect((await call('recall', { query: 'zebra parser' })).structuredContent.items).toEqual([])
        for (const tool of ['read_session', 'read_scratchpad', 'take_handoff', 'build_context']) {
          expect((await call(tool, { sessionId: id })).content[0]?.text).toMatch(/^SESSION_NOT_FOUND/)
        }
        const uri = `throughline://sessions/${id}`
        await expect(client.readResource({ uri })).rejects.toThrow(/not found/i)
        expect((await client.listResources()).resources.map((one) => one.uri)).toEqual(['throughline://sessions'])
      })
    }
  })

  it('may reach another server of a fleet with every request', async () => {
    await withDatabaseFile(async (path) => {
      const fleet = await Promise.all([1, 2].map(() => startServer({ url: `sqlite:${path}` })))
      let requests = 0
      const turn = (url: string | URL | Request, init?: RequestInit) =>
        fetch(String(url).replace('http://fleet', String(fleet[requests++ % 2]?.url)), init)
      const headers = { authorization: `Bearer ${await tokenOf({ tenant: 'acme', sub: 'ada' })}` }
      try {
        await closing(await kind.connect({ url: 'http://fleet/mcp', headers, fetch: turn }), tour)
        expect(requests).toBeGreaterThan(20)
      } finally {
        await Promise.all(fleet.map((one) => one.close()))
      }
    })
  })
})

describe('the user of a request to /mcp', () => {
  const [kind] = CLIENT_KINDS as [ClientKind]
  const any = { tenant: 'acme', sub: 'gateway', scope: 'sessions:any' }
  const ownerOf = async (id: string) => (await (await server.tl.sessions.get(id)).record()).userId

  it('is named in the URL or a header if the token is for a whole tenant', async () => {
    const eves = await closing(await enter(kind, any, { query: '?user=eve' }), started)
    expect(await ownerOf(eves)).toBe('eve')
    await closing(await enter(kind, any, { as: 'tenant=acme&userId=zoe' }), async (client) => {
      expect(await ownerOf(await started(client))).toBe('zoe')
      const { content } = await client.callTool({ name: 'read_session', arguments: { sessionId: eves } })
      expect(content[0]?.text).toMatch(/^SESSION_NOT_FOUND/)
    })
    await closing(await enter(kind, any, { query: '?user=zoe' }), async (client) => {
      const { structuredContent } = await client.callTool({ name: 'list_sessions', arguments: {} })
      expect(structuredContent.sessions).toHaveLength(1)
    })
    await expect(enter(kind, any)).rejects.toThrow(/user=ID/)
    await expect(enter(kind, { tenant: 'acme', sub: 'ada' }, { query: '?user=eve' })).rejects.toThrow(
      /must be your own/,
    )
    await expect(kind.connect({ url: `${server.url}/mcp` })).rejects.toThrow(/UNAUTHENTICATED|401/)
  })

  it('is the user who runs the server, or the named one, if it has no key', async () => {
    const open = await serve({ url: 'memory:', port: 0, log: 'silent', user: 'me' })
    try {
      const owner = async (query: string) => {
        const id = await closing(await kind.connect({ url: `${open.url}/mcp${query}` }), started)
        const { tenant, userId } = await (await open.tl.sessions.get(id)).record()
        return { tenant, userId }
      }
      expect(await owner('')).toEqual({ tenant: 'local', userId: 'me' })
      expect(await owner('?user=you')).toEqual({ tenant: 'local', userId: 'you' })
    } finally {
      await open.close()
    }
  })
})

describe('throughline mcp --http', () => {
  it('is the server, and prints the MCP URL', async () => {
    const args = [
      CLI,
      '--url',
      'memory:',
      '--json',
      'mcp',
      '--http',
      '--port',
      '0',
      '--user',
      'me',
      '--agents',
      'writer',
    ]
    const child = trackProcess(spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] }))
    const [printed] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
    const { url, mcp } = JSON.parse(printed) as { url: string; mcp: string }
    expect(mcp).toBe(`${url}/mcp`)
    const [kind] = CLIENT_KINDS as [ClientKind]
    await closing(await kind.connect({ url: mcp }), async (client) => {
      const { structuredContent } = await client.callTool({ name: 'start_session', arguments: {} })
      expect(structuredContent.session.activeAgent).toBe('writer')
    })
    const { items } = (await (await fetch(`${url}/v1/sessions`)).json()) as { items: { userId: string }[] }
    expect(items.map(({ userId }) => userId)).toEqual(['me'])
    const gone = once(child, 'exit')
    child.kill('SIGTERM')
    expect((await gone)[0]).toBe(0)
  })
})
