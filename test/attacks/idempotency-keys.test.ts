import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sessionIdFor } from '../../src/domain/partition.ts'
import { derivedId } from '../../src/features/kernel/derived-id.ts'
import { tokenOf } from '../servers/http.ts'
import { expectProblem, PEOPLE, type Person, send, startTarget, type Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.server.close())

const KEY = 'the same key'

const post = (who: Person, path: string, body: unknown, key = KEY) =>
  send(target.url, 'POST', path, { token: target.tokens[who], body, headers: { 'idempotency-key': key } })

/** The responses to two people who send the same request with the same key, each twice. */
async function bothTwice(path: (who: Person) => string, body: (who: Person) => unknown, other: Person) {
  const texts = async (who: Person) => {
    const [first, again] = [await post(who, path(who), body(who)), await post(who, path(who), body(who))]
    expect([who, first.status, again.status]).toEqual([who, first.status, first.status])
    expect(again.text).toBe(first.text)
    return first.text
  }
  return [await texts('ada'), await texts(other)] as const
}

describe.each<Person>(['eve', 'bob'])('a key that Ada has used, used by %s', (other) => {
  it('creates a session of its own', async () => {
    const body = (userId: Person) => ({ userId, chatmode: 'keyed' })
    const [hers, theirs] = await bothTwice(() => '/v1/sessions', body, other)
    expect(JSON.parse(theirs)).toMatchObject({ userId: other })
    expect(JSON.parse(theirs).id).not.toBe(JSON.parse(hers).id)
  })

  it('appends to a log of its own', async () => {
    const path = (who: Person) => `/v1/sessions/${target.sessions[who]}/events`
    const [hers, theirs] = await bothTwice(path, (who) => [{ type: 'user_message', content: `said by ${who}` }], other)
    expect(hers).toContain('said by ada')
    expect(theirs).toContain(`said by ${other}`)
  })

  it('takes a message to a conversation of its own', async () => {
    const body = (userId: Person) => ({ userId, message: `Please file the taxes of ${userId}` })
    const [hers, theirs] = await bothTwice(() => '/v1/conversations/keyed/messages', body, other)
    expect(JSON.parse(theirs).sessionId).toEqual(expect.any(String))
    expect(JSON.parse(theirs).sessionId).not.toBe(JSON.parse(hers).sessionId)
  })

  it('keeps a memory of its own', async () => {
    const body = (userId: Person) => ({ userId, content: `${userId} likes tea in the morning` })
    const [hers, theirs] = await bothTwice(() => '/v1/memories', body, other)
    expect(JSON.parse(theirs)).toMatchObject({ userId: other, content: `${other} likes tea in the morning` })
    expect(JSON.parse(theirs).id).not.toBe(JSON.parse(hers).id)
  })

  it('does not return the stored responses of Ada for her sessions', async () => {
    const key = `of ada alone, not of ${other}`
    const event = [{ type: 'user_message', content: 'a secret under a key' }]
    const at = `/v1/sessions/${target.sessions.ada}/events`
    expect((await post('ada', at, event, key)).status).toBe(201)
    const memory = { userId: 'ada', content: `a memory under a key, ${other}` }
    expect((await post('ada', '/v1/memories', memory, key)).status).toBe(201)
    const creation = { userId: 'ada', chatmode: `under a key, ${other}` }
    expect((await post('ada', '/v1/sessions', creation, key)).status).toBe(201)
    await target.harmless(async () => {
      expectProblem(await post(other, at, event, key), 404, 'SESSION_NOT_FOUND')
      expectProblem(await post(other, '/v1/memories', memory, key), 400, 'VALIDATION')
      expectProblem(await post(other, '/v1/sessions', creation, key), 400, 'VALIDATION')
      const deletion = { token: target.tokens[other], headers: { 'idempotency-key': key } }
      const gone = await send(target.url, 'DELETE', `/v1/memories/${target.memories.ada}`, deletion)
      expectProblem(gone, 404, 'MEMORY_NOT_FOUND')
    })
  })
})

describe.each<Person>(['eve', 'bob'])('an id that %s makes from a key that Ada may use', (other) => {
  const owner = ['acme', 'ada']
  /** Ada's call with the key, and the session id that these words would have without the secret of the store. */
  const idFor = (...words: string[]) => sessionIdFor({ tenant: 'acme', userId: 'ada' }, derivedId(...words))
  const ways: [what: string, path: () => string, body: unknown, idOf: (key: string) => string][] = [
    ['create', () => '/v1/sessions', { userId: 'ada', chatmode: 'guessed' }, (key) => idFor('create', ...owner, key)],
    ['fork', () => `/v1/sessions/${target.sessions.ada}/fork`, {}, (key) => idFor('fork', target.sessions.ada, key)],
    [
      'speak',
      () => `/v1/conversations/guessed-by-${other}/messages`,
      { userId: 'ada', message: 'Please file my taxes' },
      (key) => idFor('conversation', ...owner, 'default', `guessed-by-${other}`, key),
    ],
  ]

  /** Responses of all calls that take an id, without the request id. */
  async function guessed(id: string) {
    const guess = { userId: other, chatmode: 'guessing', id }
    const calls = [
      ['/v1/sessions', guess],
      ['/v1/sessions', { ...guess, id: id.toUpperCase() }],
      ['/v1/sessions?getOrCreate=true', guess],
      [`/v1/sessions/${target.sessions[other]}/fork`, { id }],
    ] as const
    const answers = []
    for (const [path, body] of calls) {
      const answer = await send(target.url, 'POST', path, { token: target.tokens[other], body })
      expectProblem(answer, 400, 'VALIDATION', 'id')
      const { instance: _, ...problem } = answer.body as { instance: string }
      answers.push(problem)
    }
    return answers
  }

  it.each(ways)('reveals nothing and blocks nothing when Ada wants to %s', async (what, path, body, idOf) => {
    const key = `guessed by ${other} to ${what}`
    const before = await target.harmless(() => guessed(idOf(key)))
    const first = await post('ada', path(), body, key)
    expect(first.status).toBeLessThan(300)
    const { id, sessionId = id } = first.body as { id: string; sessionId?: string }
    expect(sessionId).toMatch(/^.{14}8/)
    expect(sessionId).not.toBe(idOf(key))
    // even the real id is refused as any other of its version
    for (const tried of [idOf(key), sessionId]) expect(await target.harmless(() => guessed(tried))).toEqual(before)
    expect((await post('ada', path(), body, key)).text).toBe(first.text)
    const end = { token: target.tokens.ada, body: {} }
    expect((await send(target.url, 'POST', `/v1/sessions/${sessionId}/end`, end)).status).toBe(200)
  })

  it.each(ways)('is not the id of an import either when Ada wants to %s', async (what, path, body, idOf) => {
    const key = `imported by ${other} to ${what}`
    const token = await tokenOf({ tenant: PEOPLE[other], sub: other, scope: 'sessions:any' })
    const importing = async (sessionId: string) => {
      const parts = {
        tenant: PEOPLE[other],
        userId: other,
        chatmode: key,
        conversationId: key,
        agent: 'a',
        metadata: {},
      }
      const createdAt = '2026-03-01T12:00:00.000Z'
      const started = { id: sessionId, type: 'session_started', role: 'system', content: 'x', parts, createdAt }
      const blocks = [{ sessionId, events: [{ ...started, sequence: 1 }], done: true }]
      const answer = await send(target.url, 'POST', '/v1/import', { token, body: { blocks } })
      return (answer.body as { outcomes: { became?: string }[] }).outcomes[0]?.became
    }
    expect(await importing(idOf(key))).toBe('created')
    const first = await post('ada', path(), body, key)
    expect(first.status).toBeLessThan(300)
    expect((await post('ada', path(), body, key)).text).toBe(first.text)
    // as if Ada had no session
    expect(await importing(idOf(key))).toBe('unchanged')
    const { id, sessionId = id } = first.body as { id: string; sessionId?: string }
    await send(target.url, 'POST', `/v1/sessions/${sessionId}/end`, { token: target.tokens.ada, body: {} })
  })
})

describe('a key', () => {
  const append = (headers: Record<string, string>, body: unknown = { type: 'user_message', content: 'x' }) =>
    send(target.url, 'POST', `/v1/sessions/${target.sessions.ada}/events`, { token: target.tokens.ada, headers, body })

  it.each(['', '%"%zz"', '%"%C3%28"', `%"${encodeURIComponent('\0')}"`, 'k'.repeat(513)])(
    'that is %j is refused',
    async (key) => {
      const { status, body } = await target.harmless(() => append({ 'idempotency-key': key }))
      const { code, details } = body as { code: string; details: { field: string } }
      expect([[400, 413].includes(status), ['VALIDATION', 'TOO_LARGE'].includes(code)]).toEqual([true, true])
      expect(details.field).toBe('idempotencyKey')
    },
  )

  it('that was used for something else is refused', async () => {
    expect((await append({ 'idempotency-key': 'once' })).status).toBe(201)
    await target.harmless(async () => {
      const other = { type: 'user_message', content: 'y' }
      expectProblem(await append({ 'idempotency-key': 'once' }, other), 422, 'IDEMPOTENCY_MISMATCH')
    })
  })

  it.each([
    ['/v1/sessions', { userId: 'ada', chatmode: 'x' }],
    ['/v1/sessions/ID/events', { events: [{ type: 'user_message', content: 'x' }] }],
    ['/v1/sessions/ID/messages', { messages: [{ role: 'user', content: 'x' }] }],
    ['/v1/sessions/ID/state/add', { key: 'a', value: 1 }],
    ['/v1/sessions/ID/interrupt', { text: 'x' }],
    ['/v1/sessions/ID/end', {}],
    ['/v1/sessions/ID/reduce', { maxTokens: 10 }],
    ['/v1/conversations/c/messages', { userId: 'ada', message: 'x' }],
    ['/v1/memories', { userId: 'ada', content: 'x' }],
  ])('in the body of %s is refused, because it belongs in the header', async (path, body) => {
    await target.harmless(async () => {
      const answer = await send(target.url, 'POST', path.replace('ID', target.sessions.ada), {
        token: target.tokens.ada,
        body: { ...body, idempotencyKey: 'in the body' },
      })
      expectProblem(answer, 400, 'VALIDATION', 'idempotencyKey')
    })
  })
})
