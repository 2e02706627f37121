import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RESERVED_KEYS } from '../../src/domain/envelope.ts'
import { everyRequest } from './requests.ts'
import { expectProblem, send, startTarget, type Target } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.server.close())

/** JSON text goes as it is: literals in code would set a prototype. */
const as = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  send(target.url, method, path.replace('ID', target.sessions.ada), { token: target.tokens.ada, body, headers })

const POLLUTION = '{"polluted":true,"tenant":"globex","userId":"eve"}'

describe('a reserved key of the envelope', () => {
  it.each(RESERVED_KEYS)('%s is refused in the metadata of a session, a fork and an envelope', async (key) => {
    const metadata = { harmless: 1, [key]: 'globex' }
    await target.harmless(async () => {
      const created = await as('POST', '/v1/sessions', { userId: 'ada', chatmode: 'x', metadata })
      expectProblem(created, 400, 'VALIDATION', `metadata.${key}`)
      expectProblem(await as('POST', '/v1/sessions/ID/fork', { metadata }), 400, 'VALIDATION', `metadata.${key}`)
      expectProblem(await as('PATCH', '/v1/sessions/ID/envelope', { metadata }), 400, 'VALIDATION', `metadata.${key}`)
    })
  })

  it.each(['tenant', 'subject', 'issuer', 'scope', 'session_id', 'timestamps', 'batch', 'whole', 'userId'])(
    '%s is refused next to the metadata',
    async (key) => {
      await target.harmless(async () => {
        expectProblem(await as('PATCH', '/v1/sessions/ID/envelope', { [key]: 'globex' }), 400, 'VALIDATION', key)
      })
    },
  )
})

describe('a key named __proto__', () => {
  it('in any body of any route is refused', async () => {
    await target.harmless(async () => {
      for (const { method, path, body } of everyRequest(target, 'ada')) {
        if (body === undefined) continue
        const [first = body] = [body].flat()
        const inner = JSON.stringify(first).replace(
          /\}$/,
          `${Object.keys(first as object).length > 0 ? ',' : ''}"__proto__":${POLLUTION}}`,
        )
        const answer = await as(method, path, Array.isArray(body) ? `[${inner}]` : inner)
        expectProblem(answer, 400, 'VALIDATION')
        // operator routes refuse the caller before they check the body
        expect(answer.text).toMatch(/__proto__|must be the operator/)
      }
    })
  })

  it.each([
    ['POST', '/v1/sessions', `{"userId":"ada","chatmode":"x","metadata":{"__proto__":${POLLUTION}}}`],
    ['POST', '/v1/sessions', `{"userId":"ada","chatmode":"x","metadata":{"a":[{"__proto__":${POLLUTION}}]}}`],
    ['POST', '/v1/sessions/ID/fork', `{"metadata":{"__proto__":${POLLUTION}}}`],
    ['PATCH', '/v1/sessions/ID/envelope', `{"metadata":{"__proto__":${POLLUTION}}}`],
    ['PATCH', '/v1/sessions/ID/envelope', `{"analysis":{"__proto__":${POLLUTION}}}`],
    ['PATCH', '/v1/sessions/ID/state', `{"__proto__":${POLLUTION}}`],
    ['PATCH', '/v1/sessions/ID/state', `{"a":{"b":{"__proto__":${POLLUTION}}}}`],
    ['PUT', '/v1/sessions/ID/state', `{"__proto__":${POLLUTION}}`],
    ['POST', '/v1/sessions/ID/state/add', `{"key":"a","value":{"__proto__":${POLLUTION}}}`],
    ['POST', '/v1/sessions/ID/events', `{"type":"user_message","content":"x","parts":{"__proto__":${POLLUTION}}}`],
    ['POST', '/v1/sessions/ID/messages', `{"role":"user","content":"x","parts":{"__proto__":${POLLUTION}}}`],
    ['POST', '/v1/sessions/ID/handoff', `{"to":"motivator","reason":"x","context":{"__proto__":${POLLUTION}}}`],
    ['POST', '/v1/memories', `{"userId":"ada","content":"x","metadata":{"__proto__":${POLLUTION}}}`],
    ['POST', '/v1/sessions/ID/steps', `{"observations":[{"kind":"note","text":"x","__proto__":${POLLUTION}}]}`],
    ['POST', '/v1/conversations/c/messages', `{"userId":"ada","message":"x","observations":{"__proto__":[]}}`],
  ])('deep in the body of %s %s is refused: %s', async (method, path, body) => {
    await target.harmless(async () => expectProblem(await as(method, path, body), 400, 'VALIDATION'))
  })

  it('in a query is refused, once or twice', async () => {
    await target.harmless(async () => {
      const at = `/v1/sessions/${target.sessions.ada}`
      for (const path of ['/v1/sessions', `${at}/events`, `${at}/messages`, `${at}/graph`, '/v1/sessions/active']) {
        for (const query of ['__proto__=x', '__proto__=x&__proto__=y', '__proto__[polluted]=1', 'constructor=x']) {
          expectProblem(await as('GET', `${path}?${query}`), 400, 'VALIDATION')
        }
      }
    })
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    '%s as a name works like any other name',
    async (name) => {
      const { status, body } = await as('POST', '/v1/sessions', { userId: 'ada', chatmode: name, conversationId: name })
      expect([status, (body as { chatmode: string }).chatmode]).toEqual([201, name])
      const handled = await as('POST', `/v1/conversations/${name}/messages`, {
        userId: 'ada',
        chatmode: name,
        message: 'hi',
      })
      expect([handled.status, (handled.body as { sessionId: string }).sessionId]).toEqual([
        200,
        (body as { id: string }).id,
      ])
      expect((await as('POST', '/v1/sessions/ID/state/increment', { key: name })).status).toBe(
        name === '__proto__' ? 400 : 200,
      )
    },
  )
})

it('keys of a constructor’s prototype are data like any other', async () => {
  const state = { constructor: { prototype: { polluted: true } }, hasOwnProperty: 1, toJSON: 'x', length: -1 }
  const { status, body } = await as('PATCH', '/v1/sessions/ID/state', state)
  expect([status, (body as { scratchpad: unknown }).scratchpad]).toEqual([200, expect.objectContaining(state)])
  await target.harmless(async () => {})
})

it('of duplicate keys the last one counts, for validation and for storage', async () => {
  await target.harmless(async () => {
    const stolen = '{"userId":"ada","chatmode":"x","userId":"bob"}'
    expectProblem(await as('POST', '/v1/sessions', stolen), 400, 'VALIDATION', 'userId')
    const hidden = '{"metadata":{"a":1},"metadata":{"tenant":"globex"}}'
    expectProblem(await as('PATCH', '/v1/sessions/ID/envelope', hidden), 400, 'VALIDATION', 'metadata.tenant')
  })
  const mine = await as('POST', '/v1/sessions', '{"userId":"bob","chatmode":"twice","userId":"ada"}')
  expect([mine.status, (mine.body as { userId: string }).userId]).toEqual([201, 'ada'])
})
