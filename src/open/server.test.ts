import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answer, type ScriptedServer, startScriptedServer } from '../../test/servers/scripted-http.ts'
import { open } from './open.ts'

const ABOUT = { name: 'throughline', version: '1.0.0', agents: ['planner', 'writer'] }

let server: ScriptedServer

beforeEach(async () => {
  server = await startScriptedServer({})
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.stop()
})

const tokenSent = () => server.received.at(-1)?.headers.authorization

describe('open() of a server', () => {
  it('asks it who it is, and whom the token stands for', async () => {
    const principal = { tenant: 'acme', userId: 'ada' }
    server.next(answer(200, { ...ABOUT, principal }))
    const tl = await open({ url: server.url, token: 'abc' })
    expect([tl.agents, tl.principal]).toEqual([ABOUT.agents, principal])
    expect(server.received.map(({ method, url }) => `${method} ${url}`)).toEqual(['GET /v1'])
    expect(tokenSent()).toBe('Bearer abc')
    await tl.close()
  })

  it('takes the token of the environment if it is given none, and what the environment says of stores is not for it', async () => {
    vi.stubEnv('THROUGHLINE_URL', server.url)
    vi.stubEnv('THROUGHLINE_TOKEN', 'from-env')
    vi.stubEnv('THROUGHLINE_CACHE_URL', 'redis://nowhere')
    vi.stubEnv('SESSION_ENVELOPE_ENABLED', 'nonsense')
    server.next(answer(200, ABOUT), answer(200, ABOUT), answer(200, ABOUT))
    await open()
    expect(tokenSent()).toBe('Bearer from-env')
    await open({ token: async () => 'mine' })
    expect(tokenSent()).toBe('Bearer mine')
    vi.stubEnv('THROUGHLINE_TOKEN', '')
    await open({ migrate: false, index: false })
    expect(tokenSent()).toBeUndefined()
  })

  it.each<[option: string, value: unknown]>([
    ['agents', ['coach']],
    ['policy', { idleTimeoutMs: 1 }],
    ['tokenizer', 'estimate'],
    ['clock', { now: () => 0 }],
    ['classify', () => 'response'],
    ['summarize', () => ''],
    ['extract', () => []],
    ['embed', () => []],
    ['cache', 'redis://host'],
    ['cacheTtlSeconds', 1],
    ['metrics', { registerMetric() {} }],
    ['envelopes', false],
    ['durability', 'relaxed'],
    ['migrate', true],
    ['index', true],
  ])('leaves %s to it', async (option, value) => {
    const refused = { code: 'VALIDATION', field: option, message: expect.stringContaining('must be set on the server') }
    await expect(open({ url: server.url, [option]: value })).rejects.toMatchObject(refused)
    expect(server.received).toEqual([])
  })

  it('refuses what is no option at all, and a token that is none', async () => {
    await expect(open({ url: server.url, tokens: 'x' } as object)).rejects.toMatchObject({ field: 'tokens' })
    for (const token of ['', 7, {}, 'two words']) {
      await expect(open({ url: server.url, token: token as string })).rejects.toMatchObject({ field: 'token' })
    }
  })

  it('fails at once where nobody is there, or someone else', async () => {
    server.next(answer(200, { name: 'other', agents: [] }), answer(200, ['throughline']), answer(204))
    for (let n = 0; n < 3; n++)
      await expect(open(server.url)).rejects.toThrow(/http:\/\/127\.0\.0\.1:\d+ is not a Throughline server/)
    server.next(answer(401, { code: 'UNAUTHENTICATED', detail: 'the token has expired', details: {} }))
    await expect(open(server.url)).rejects.toMatchObject({ code: 'UNAUTHENTICATED', message: 'the token has expired' })
    const { url } = server
    await server.stop()
    await expect(open(url)).rejects.toMatchObject({ code: 'STORAGE', message: expect.stringContaining('ECONNREFUSED') })
  })
})

describe('open() of a store', () => {
  it('refuses a token', async () => {
    await expect(open({ url: 'memory:', token: 'abc' })).rejects.toMatchObject({ code: 'VALIDATION', field: 'token' })
    vi.stubEnv('THROUGHLINE_TOKEN', 'abc')
    await (await open('memory:')).close()
  })
})
