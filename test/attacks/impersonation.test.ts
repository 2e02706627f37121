import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorToken, tokenOf } from '../servers/http.ts'
import { everyRequest } from './requests.ts'
import { CONVERSATION, expectProblem, type Person, send, startTarget, type Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.server.close())

const conversation = `/v1/conversations/${encodeURIComponent(CONVERSATION)}`
const as = (who: Person, method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  send(target.url, method, path, { token: target.tokens[who], body, headers })

describe('someone else’s name', () => {
  const routes = [
    ['POST', '/v1/sessions', { chatmode: 'x' }],
    ['POST', '/v1/sessions?getOrCreate', {}],
    ['POST', `${conversation}/messages`, { message: 'from outside' }],
    ['POST', '/v1/memories', { content: 'from outside' }],
    ['POST', '/v1/memories/search', { query: 'memory' }],
    ['POST', '/v1/recall', { query: 'secret' }],
    ['POST', '/v1/index', {}],
  ] as const

  it.each(routes)('in the body of %s %s is refused', async (method, path, body) => {
    await target.harmless(async () => {
      expectProblem(await as('bob', method, path, { ...body, userId: 'ada' }), 400, 'VALIDATION', 'userId')
      const elsewhere = await as('eve', method, path, { ...body, userId: 'ada', tenant: 'acme' })
      expectProblem(elsewhere, 400, 'VALIDATION', 'tenant')
      const mine = await as('eve', method, path, { ...body, userId: 'eve', tenant: 'acme' })
      expectProblem(mine, 400, 'VALIDATION', 'tenant')
    })
  })

  it.each(['resume', 'decline'])('in the body of %s finds nothing to resume', async (what) => {
    await target.harmless(async () => {
      for (const [who, body] of [
        ['bob', { userId: 'ada' }],
        ['eve', { userId: 'ada', tenant: 'acme' }],
        ['eve', { userId: 'eve', tenant: 'acme' }],
      ] as const) {
        const found = await as(who, 'POST', `${conversation}/${what}`, body)
        const never = await as(who, 'POST', `/v1/conversations/never/${what}`, { userId: who })
        expect([found.status, found.text]).toEqual([200, never.text])
        expect(found.body).not.toHaveProperty('sessionId')
      }
    })
  })

  it('with observations writes nothing to her log, and the response says so', async () => {
    const { ada } = target.sessions
    const body = { userId: 'eve', message: 'hello', observations: { [ada]: [{ kind: 'note', text: 'from outside' }] } }
    const log = async () => (await target.server.tl.sessions.get(ada)).events({ limit: 500 })
    const before = await log()
    const answer = await as('eve', 'POST', '/v1/conversations/of%20eve/messages', body)
    expect([answer.status, answer.headers['throughline-unwritten']]).toEqual([200, JSON.stringify({ [ada]: '0' })])
    expect(await log()).toEqual(before)
  })

  it('among several of the caller’s own memories refuses all of them', async () => {
    const body = ['eve', 'ada'].map((userId) => ({ userId, content: 'from outside', tenant: 'globex' }))
    await target.harmless(async () => expectProblem(await as('eve', 'POST', '/v1/memories', body), 400, 'VALIDATION'))
  })

  it.each([
    ['/v1/sessions', { items: [] }],
    ['/v1/sessions/active', undefined],
    [`${conversation}/commits`, { items: [] }],
  ])('in the query of GET %s finds nothing', async (path, nothing) => {
    await target.harmless(async () => {
      for (const query of ['userId=ada&tenant=acme', 'userId=eve&tenant=acme', 'userId=ada']) {
        const { status, body } = await as('eve', 'GET', `${path}?${query}`)
        expect([status, body]).toEqual([nothing === undefined ? 204 : 200, nothing])
      }
    })
  })

  it.each([
    ['GET', '/v1/memories?'],
    ['GET', '/v1/memories/search?query=memory&'],
    ['DELETE', `/v1/memories?source=x&`],
  ])('in the query of %s %s is refused', async (method, path) => {
    await target.harmless(async () => {
      expectProblem(await as('bob', method, `${path}userId=ada`), 400, 'VALIDATION', 'userId')
      expectProblem(await as('eve', method, `${path}userId=ada&tenant=acme`), 400, 'VALIDATION', 'tenant')
      expectProblem(await as('eve', method, `${path}userId=eve&userId=ada`), 400, 'VALIDATION', 'userId')
    })
  })
})

describe('the header Throughline-As', () => {
  const named = (who: Person, value: string) => as(who, 'GET', '/v1/sessions', undefined, { 'throughline-as': value })

  it.each([
    ['eve', 'tenant=acme&userId=ada', 'tenant'],
    ['eve', 'tenant=acme', 'tenant'],
    ['eve', 'tenant=globex&tenant=acme&userId=eve', 'tenant'],
    ['bob', 'tenant=acme&userId=ada', 'userId'],
    ['bob', 'tenant=acme', 'userId'],
    ['bob', 'tenant=acme&userId=', 'userId'],
    ['bob', 'tenant=acme&userId=bob&userId=ada', 'userId'],
    ['bob', 'tenant=acme&userId=bob&admin=true', 'admin'],
    ['bob', 'tenant=acme&userId=bob&__proto__=x', '__proto__'],
    ['bob', 'userId=bob', 'tenant'],
    ['bob', '', 'tenant'],
  ] as const)('of %s that says %s is refused', async (who, value, field) => {
    await target.harmless(async () => expectProblem(await named(who, value), 400, 'VALIDATION', field))
  })

  it('widens nothing for any route', async () => {
    await target.harmless(async () => {
      for (const { method, path, body } of everyRequest(target, 'ada')) {
        const answer = await as('eve', method, path, body, { 'throughline-as': 'tenant=acme&userId=ada' })
        expectProblem(answer, 400, 'VALIDATION', 'tenant')
      }
    })
  })

  it('neither passes the scopes of the token on nor adds any', async () => {
    const scope = 'throughline:operator sessions:any'
    const { status, body } = await named('bob', `tenant=acme&userId=bob&scope=${scope}`)
    expect([status, (body as { items: unknown[] }).items.length]).toEqual([200, 1])
    const intake = await as('bob', 'POST', '/v1/intake/pause', undefined, {
      'throughline-as': `tenant=acme&userId=bob&scope=${scope}`,
    })
    expectProblem(intake, 400, 'VALIDATION', 'principal')
  })

  it('narrows a caller who may act for all users of a tenant, within that tenant', async () => {
    const token = await tokenOf({ tenant: 'acme', sub: 'support', scope: 'sessions:any' })
    const list = (value: string) =>
      send(target.url, 'GET', '/v1/sessions', { token, headers: { 'throughline-as': value } })
    const { items } = (await list('tenant=acme&userId=ada')).body as { items: { id: string }[] }
    expect(items.map(({ id }) => id)).toEqual([target.sessions.ada])
    expectProblem(await list('tenant=globex&userId=eve'), 400, 'VALIDATION', 'tenant')
    expectProblem(await list('tenant=globex'), 400, 'VALIDATION', 'tenant')
  })

  it('narrows the operator: acting for Ada shows no more than Ada sees', async () => {
    const token = await operatorToken()
    const headers = { 'throughline-as': 'tenant=acme&userId=ada' }
    const get = (path: string) => send(target.url, 'GET', path, { token, headers })
    expect((await get(`/v1/sessions/${target.sessions.ada}`)).status).toBe(200)
    expectProblem(await get(`/v1/sessions/${target.sessions.bob}`), 404, 'SESSION_NOT_FOUND')
    expectProblem(await get('/v1/intake'), 400, 'VALIDATION', 'principal')
  })
})

it.each([
  ['GET', '/v1/intake'],
  ['POST', '/v1/intake/pause'],
  ['POST', '/v1/intake/resume'],
  ['POST', '/v1/envelopes/backfill'],
  ['POST', '/v1/envelopes/rollback'],
  ['POST', '/v1/envelopes/warm'],
  ['GET', '/v1/envelopes/cached'],
])('%s %s is only for the operator', async (method, path) => {
  const anyUser = await tokenOf({ tenant: 'acme', sub: 'support', scope: 'sessions:any' })
  const body = method === 'POST' ? { from: 'sqlite:/etc/passwd', batch: 'b' } : undefined
  await target.harmless(async () => {
    for (const token of [target.tokens.ada, anyUser]) {
      const answer = await send(target.url, method, path, { token, body: path.endsWith('warm') ? {} : body })
      expectProblem(answer, 400, 'VALIDATION', 'principal')
    }
  })
})

describe('a cursor', () => {
  it('from another tenant’s list of sessions returns none of their sessions', async () => {
    const tl = target.server.tl
    for (const chatmode of ['a', 'b']) await tl.sessions.create({ userId: 'ada', tenant: 'acme', chatmode })
    const { nextCursor } = (await as('ada', 'GET', '/v1/sessions?limit=1')).body as { nextCursor: string }
    expect(nextCursor).toEqual(expect.any(String))
    await target.harmless(async () => {
      for (const who of ['eve', 'bob'] as const) {
        const { status, text } = await as(who, 'GET', `/v1/sessions?limit=500&cursor=${nextCursor}`)
        expect(status).toBe(200)
        expect(text).not.toMatch(/"ada"|of ada/)
      }
    })
  })

  it('from another user’s list of memories returns none of their memories', async () => {
    for (const n of [1, 2, 3]) await as('ada', 'POST', '/v1/memories', { userId: 'ada', content: `likes ${n} eggs` })
    const page = await as('ada', 'GET', '/v1/memories?userId=ada&limit=1')
    const { nextCursor } = page.body as { nextCursor: string }
    expect(nextCursor).toEqual(expect.any(String))
    await target.harmless(async () => {
      for (const who of ['eve', 'bob'] as const) {
        const { status, text } = await as(who, 'GET', `/v1/memories?userId=${who}&cursor=${nextCursor}`)
        expect(status).toBe(200)
        expect(text).not.toMatch(/"ada"|eggs/)
      }
    })
  })

  it('from another user’s commits returns none of their commits', async () => {
    for (const chatmode of ['c', 'd']) {
      const scope = { userId: 'ada', tenant: 'acme', chatmode, conversationId: 'compacted' }
      const session = await target.server.tl.sessions.create(scope)
      await session.addMessage({ role: 'user', content: 'secret of ada' })
      await session.abort('done')
    }
    const path = '/v1/conversations/compacted/commits'
    const page = (await as('ada', 'GET', `${path}?limit=1`)).body as { items: unknown[]; nextCursor: string }
    expect(page.items).toHaveLength(1)
    expect(page.nextCursor).toEqual(expect.any(String))
    await target.harmless(async () => {
      for (const who of ['eve', 'bob'] as const) {
        for (const query of ['', `?cursor=${page.nextCursor}`, '?cursor=0', '?cursor=0.x']) {
          expect((await as(who, 'GET', path + query)).body).toEqual({ items: [] })
        }
      }
    })
  })

  it.each([
    'x',
    'e30',
    'bnVsbA',
    Buffer.from('["x","y"]').toString('base64url'),
    '%00',
    "' or 1=1 --",
    '9'.repeat(1024),
  ])('that is %j is refused everywhere', async (cursor) => {
    const query = `cursor=${encodeURIComponent(cursor)}`
    await target.harmless(async () => {
      for (const path of ['/v1/sessions?', '/v1/memories?userId=ada&', '/v1/conversations/compacted/commits?']) {
        expectProblem(await as('ada', 'GET', path + query), 400, 'VALIDATION', 'cursor')
      }
    })
  })
})
