import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { databasesOf, SERVING } from '../servers/database.ts'
import { tokenOf } from '../servers/http.ts'
import { memoryRoutes, type Request, requestTo, sessionRoutes } from './requests.ts'
import { expectProblem, type Person, send, startTarget, type Target } from './target.ts'

const [postgres] = inject('postgres')

const stores = {
  'the memory store': async () => ({ options: { url: 'memory:' }, destroy: async () => {} }),
  'Postgres behind Redis': async () => {
    const databases = await databasesOf(postgres?.url ?? '')
    const database = await databases.recycled()
    const destroy = async () => {
      await database.destroy()
      await databases.close()
    }
    return { options: { url: database.url(SERVING), cache: inject('redis').url }, destroy }
  },
}

describe.each(Object.entries(stores))('on %s', (_name, start) => {
  let target: Target
  let destroy: () => Promise<void>
  beforeAll(async () => {
    const place = await start()
    destroy = place.destroy
    target = await startTarget(place.options)
  })
  afterAll(async () => {
    await target.server.close()
    await destroy()
  })

  /** The response without values that differ in every request. */
  async function shapeOf({ method, path, body }: Request, who: Person, id: string) {
    const { status, headers, text } = await send(target.url, method, path, { token: target.tokens[who], body })
    const { date: _date, ...rest } = headers
    const instance = /"instance":"([^"]+)"/.exec(text)?.[1] ?? ''
    const withoutId = (part: string) => part.replaceAll(id, 'ID')
    return { status, headers: withoutId(JSON.stringify(rest)), text: withoutId(text.replace(instance, '')) }
  }

  /** The response for something of Ada equals, to the letter, that for something that never existed. */
  async function sameAsNothing(requests: (id: string) => Request, who: Person, id: string, code: string) {
    await target.harmless(async () => {
      const missing = randomUUID()
      const found = await shapeOf(requests(id), who, id)
      expect(found).toEqual(await shapeOf(requests(missing), who, missing))
      expect({ status: found.status, ...JSON.parse(found.text) }).toMatchObject({ status: 404, code })
    })
  }

  const attackers = [
    ['another tenant', 'eve'],
    ['another user of the same tenant', 'bob'],
  ] as const

  describe.each(attackers)('to %s', (_who, who) => {
    it.each(sessionRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
      'the session of Ada does not exist: %s',
      (_route, route) => sameAsNothing((id) => requestTo(route, id), who, target.sessions.ada, 'SESSION_NOT_FOUND'),
    )

    it.each(memoryRoutes.map((route) => [`${route.method} ${route.path}`, route] as const))(
      'the memory of Ada does not exist: %s',
      (_route, route) => sameAsNothing((id) => requestTo(route, id), who, target.memories.ada, 'MEMORY_NOT_FOUND'),
    )

    it.each(['verify', 'rebuild', 'export'])('%s of the session of Ada finds none', async (route) => {
      const request = (sessionId: string) =>
        ({ method: 'POST', path: `/v1/${route}`, body: { sessionId } }) as unknown as Request
      await sameAsNothing(request, who, target.sessions.ada, 'SESSION_NOT_FOUND')
    })

    it('no memory can name a session of Ada as its source', async () => {
      await target.harmless(async () => {
        const source = { sessionId: target.sessions.ada, from: 1, to: 2 }
        const token = target.tokens[who]
        const remembered = { userId: who, content: 'from outside', source }
        expectProblem(
          await send(target.url, 'POST', '/v1/memories', { token, body: remembered }),
          404,
          'SESSION_NOT_FOUND',
        )
        const path = `/v1/memories/${target.memories[who]}/corroborate`
        expectProblem(await send(target.url, 'POST', path, { token, body: source }), 404, 'SESSION_NOT_FOUND')
      })
    })

    it('Ada cannot be purged', async () => {
      await target.harmless(async () => {
        const token = target.tokens[who]
        const other = await send(target.url, 'DELETE', '/v1/users/ada?tenant=acme', { token })
        expectProblem(other, 400, 'VALIDATION', who === 'eve' ? 'tenant' : 'userId')
        if (who === 'bob')
          expectProblem(await send(target.url, 'DELETE', '/v1/users/ada', { token }), 400, 'VALIDATION')
      })
    })

    it('the session of Ada cannot be created again, nor replaced by a fork', async () => {
      await target.harmless(async () => {
        const id = target.sessions.ada
        const token = target.tokens[who]
        const begun = await send(target.url, 'POST', '/v1/sessions', {
          token,
          body: { userId: who, chatmode: 'x', id },
        })
        expectProblem(begun, 422, 'IDEMPOTENCY_MISMATCH')
        const path = `/v1/sessions/${target.sessions[who]}/fork`
        const forked = await send(target.url, 'POST', path, { token, body: { id } })
        expectProblem(forked, 422, 'IDEMPOTENCY_MISMATCH')
        // ids are hexadecimal, and may hold a name by chance
        const words = (begun.text + forked.text).replaceAll(id, '').replace(/"instance":"[^"]*"/g, '')
        expect(words).not.toMatch(/ada|acme|secret/)
      })
    })
  })

  it('Ada herself succeeds with each of these requests', async () => {
    for (const route of sessionRoutes.filter(({ stream }) => stream !== true)) {
      const session = await target.server.tl.sessions.create({ userId: 'ada', tenant: 'acme' })
      await session.addMessage({ role: 'user', content: 'hello' })
      await session.request({ id: 'r', kind: 'approval', question: 'May I?' })
      const { method, path, body } = requestTo(route, session.id)
      const { status } = await send(target.url, method, path, { token: target.tokens.ada, body })
      expect([route.operation, status < 300 || status === 409]).toEqual([route.operation, true])
    }
  })

  it('a caller who may act for every user of a tenant can do so only in that tenant', async () => {
    const token = await tokenOf({ tenant: 'acme', sub: 'support', scope: 'sessions:any' })
    const get = (path: string, headers = {}) => send(target.url, 'GET', `/v1${path}`, { token, headers })
    await target.harmless(async () => {
      for (const person of ['ada', 'bob'] as const) {
        expect((await get(`/sessions/${target.sessions[person]}`)).status).toBe(200)
        expect((await get(`/memories/${target.memories[person]}`)).status).toBe(200)
      }
      expectProblem(await get(`/sessions/${target.sessions.eve}`), 404, 'SESSION_NOT_FOUND')
      expectProblem(await get(`/memories/${target.memories.eve}`), 404, 'MEMORY_NOT_FOUND')
      expect((await get('/sessions?tenant=globex&userId=eve')).body).toEqual({ items: [] })
    })
  })
})
