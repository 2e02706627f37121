import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type Databases, databasesOf, SERVING, type TestDatabase } from '../servers/database.ts'
import { startServer } from '../servers/http.ts'
import { expectProblem, type Person, send, startTarget, type Target } from './target.ts'

const [server] = inject('postgres')
const cache = inject('redis').url
let databases: Databases
let database: TestDatabase
let redis: Redis
let target: Target
beforeAll(async () => {
  databases = await databasesOf(server?.url ?? '')
  database = await databases.recycled()
  target = await startTarget({ url: database.url(SERVING), cache })
  redis = new Redis(cache)
})
afterAll(async () => {
  await target.server.close()
  await redis.quit()
  await database.destroy()
  await databases.close()
})

const get = (who: Person, path: string) => send(target.url, 'GET', path, { token: target.tokens[who] })
const keyOf = (who: Person) => `session:${target.sessions[who]}:meta`

describe('the cache of envelopes', () => {
  const envelope = (who: Person, whose: Person) => get(who, `/v1/sessions/${target.sessions[whose]}/envelope`)

  it('returns no envelope of another user, although it holds it', async () => {
    // on a busy machine the server skips a cache that does not answer within 100 ms
    await expect
      .poll(async () => {
        expect((await envelope('ada', 'ada')).status).toBe(200)
        return (await redis.get(keyOf('ada'))) ?? ''
      })
      .toContain('metadata of ada')
    await target.harmless(async () => {
      for (const who of ['eve', 'bob'] as const) {
        const answer = await envelope(who, 'ada')
        expectProblem(answer, 404, 'SESSION_NOT_FOUND')
        expect(answer.text).not.toContain('metadata of ada')
      }
    })
  })

  /** What other users receive while this entry is cached for a session. */
  async function poisoned(whose: Person, value: (document: Record<string, unknown>) => unknown) {
    await envelope(whose, whose)
    const document = JSON.parse((await redis.get(keyOf(whose))) ?? '{}')
    const text = value(document)
    await redis.set(keyOf(whose), typeof text === 'string' ? text : JSON.stringify(text))
  }

  it.each<[string, Person, (document: Record<string, unknown>) => unknown]>([
    [
      'the envelope of another session',
      'eve',
      (document) => ({ ...document, session_id: target.sessions.eve, tenant: 'globex', subject: 'eve' }),
    ],
    ['an envelope without an owner', 'eve', ({ tenant: _t, subject: _s, ...rest }) => rest],
    ['an envelope whose owner is no text', 'eve', (document) => ({ ...document, tenant: { toString: 'globex' } })],
    ['something that is no envelope', 'eve', () => '{"metadata":"stolen"}'],
    ['something that is no JSON', 'bob', () => '{stolen}'],
    [
      'an envelope of a third tenant',
      'eve',
      (document) => ({ ...document, tenant: 'initech', metadata: { is: 'stolen' } }),
    ],
  ])('with a forged entry, %s for a session of Ada, returns it to nobody else', async (_what, who, value) => {
    await target.harmless(async () => {
      await poisoned('ada', value)
      const answer = await envelope(who, 'ada')
      expectProblem(answer, 404, 'SESSION_NOT_FOUND')
      expect(answer.text).not.toMatch(/stolen|metadata of/)
      await redis.del(keyOf('ada'))
    })
  })

  it('with Ada’s envelope forged into a session of Eve returns Eve her own', async () => {
    await envelope('ada', 'ada')
    await envelope('eve', 'eve')
    await target.harmless(async () => {
      await redis.set(keyOf('eve'), (await redis.get(keyOf('ada'))) ?? '')
      const { status, body } = await envelope('eve', 'eve')
      expect(status).toBe(200)
      expect(body).toMatchObject({
        session_id: target.sessions.eve,
        subject: 'eve',
        metadata: { secret: 'metadata of eve' },
      })
    })
  })

  it('with a forged owner of Eve’s session does not lock Eve out', async () => {
    await target.harmless(async () => {
      await poisoned('eve', (document) => ({ ...document, tenant: 'acme', subject: 'ada' }))
      const { status, body } = await envelope('eve', 'eve')
      expect(status).toBe(200)
      expect(body).toMatchObject({ tenant: 'globex', subject: 'eve' })
      await redis.del(keyOf('eve'))
    })
  })
})

describe('numbers beyond the range of Postgres integers', () => {
  const at = () => `/v1/sessions/${target.sessions.ada}`
  const post = (path: string, body: unknown) => send(target.url, 'POST', path, { token: target.tokens.ada, body })

  describe.each([2 ** 31, 2 ** 53 - 1])('%d', (number) => {
    it('as a sequence find nothing', async () => {
      await target.harmless(async () => {
        expect((await get('ada', `${at()}/events?after=${number}`)).body).toEqual({ items: [] })
        expect((await get('ada', `${at()}/events?before=${number}`)).status).toBe(200)
        expectProblem(await get('ada', `${at()}/at/${number}`), 400, 'VALIDATION')
        expectProblem(await post(`${at()}/fork`, { at: number }), 400, 'VALIDATION')
      })
    })

    it('as the expected sequence conflict', async () => {
      const body = { events: [{ type: 'user_message', content: 'x' }], expectedSequence: number }
      await target.harmless(async () => {
        expectProblem(await post(`${at()}/events`, body), 409, 'SEQUENCE_CONFLICT')
      })
    })

    it('as the end of a memory’s source range are refused', async () => {
      const source = { sessionId: target.sessions.ada, from: 1, to: number }
      await target.harmless(async () => {
        const kept = await post('/v1/memories', { userId: 'ada', content: 'from far away', source })
        expectProblem(kept, 400, 'VALIDATION')
        const path = `/v1/memories/${target.memories.ada}/corroborate`
        expectProblem(await post(path, source), 400, 'VALIDATION')
      })
    })

    it('as a token budget or a number in the scratchpad are accepted', async () => {
      expect((await post(`${at()}/context`, { maxTokens: number, record: false })).status).toBe(200)
      expect((await post(`${at()}/state/increment`, { key: `n${number}`, by: number })).status).toBe(200)
      expect((await get('ada', `${at()}/recent?maxTurns=${number}&maxTokens=${number}`)).status).toBe(200)
    })
  })

  it.each(['500', '501', '2147483648', '9007199254740991', '-1', '0', '1.5', '1e2', 'all'])(
    'a page size of %s is refused beyond 500',
    async (limit) => {
      for (const path of ['/v1/sessions?', '/v1/memories?userId=ada&', `/v1/sessions/${target.sessions.ada}/events?`]) {
        const answer = await get('ada', `${path}limit=${limit}`)
        if (limit === '500') expect(answer.status).toBe(200)
        else expectProblem(answer, 400, 'VALIDATION', 'limit')
      }
    },
  )
})

it('a server with tokens does not start as a superuser, who bypasses row level security', async () => {
  await expect(startServer({ url: database.url() })).rejects.toMatchObject({
    code: 'STORAGE',
    message: expect.stringContaining('bypasses row level security'),
  })
})

it('a server with tokens does not start as a role that bypasses row level security', async () => {
  const role = `throughline_test_bypass_${process.pid}`
  await database.admin(`create role ${role} login bypassrls; grant throughline_app to ${role}`)
  try {
    await expect(startServer({ url: database.url(role) })).rejects.toMatchObject({ code: 'STORAGE' })
  } finally {
    await database.admin(`drop role ${role}`)
  }
})
