import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { everyRequest } from './requests.ts'
import { expectProblem, send, startTarget, type Target, type TestResponse } from './target.ts'

let target: Target
beforeAll(async () => {
  target = await startTarget()
})
afterAll(() => target.server.close())

const as = (method: string, path: string, body: unknown) =>
  send(target.url, method, path.replace('ID', target.sessions.ada), { token: target.tokens.ada, body })

const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
const objects = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`

describe('JSON that is nested', () => {
  it('a million times is refused', async () => {
    await target.harmless(async () => {
      expectProblem(await as('POST', '/v1/sessions', lists(1_000_000)), 400, 'VALIDATION', 'body')
      expectProblem(await as('POST', '/v1/sessions/ID/events', lists(1_000_000)), 400, 'VALIDATION')
      expectProblem(await as('PUT', '/v1/sessions/ID/state', objects(1_000_000)), 400, 'VALIDATION')
    })
  })

  it('twenty thousand times is refused by every route', async () => {
    await target.harmless(async () => {
      for (const { method, path, body } of everyRequest(target, 'ada')) {
        if (body === undefined) continue
        for (const deep of [lists(20_000), objects(20_000)]) {
          expectProblem(await as(method, path, deep), 400, 'VALIDATION')
        }
      }
    })
  })

  it.each([
    ['POST', '/v1/sessions/ID/events', (deep: string) => `{"type":"user_message","content":"x","parts":${deep}}`],
    ['POST', '/v1/sessions/ID/events', (deep: string) => `{"type":"user_message","content":${deep}}`],
    ['POST', '/v1/sessions/ID/messages', (deep: string) => `{"role":"user","content":"x","parts":{"a":${deep}}}`],
    ['POST', '/v1/sessions', (deep: string) => `{"userId":"ada","chatmode":"x","metadata":{"a":${deep}}}`],
    ['POST', '/v1/sessions', (deep: string) => `{"userId":${deep}}`],
    ['POST', '/v1/sessions/ID/fork', (deep: string) => `{"metadata":{"a":${deep}}}`],
    ['PATCH', '/v1/sessions/ID/envelope', (deep: string) => `{"metadata":{"a":${deep}}}`],
    ['PATCH', '/v1/sessions/ID/envelope', (deep: string) => `{"analysis":{"a":${deep}}}`],
    ['PATCH', '/v1/sessions/ID/envelope', (deep: string) => `{"analysis":{"tags":${deep}}}`],
    ['PATCH', '/v1/sessions/ID/state', (deep: string) => `{"a":${deep}}`],
    ['PUT', '/v1/sessions/ID/state', (deep: string) => `{"a":${deep}}`],
    ['POST', '/v1/sessions/ID/state/add', (deep: string) => `{"key":"a","value":${deep}}`],
    ['POST', '/v1/sessions/ID/handoff', (deep: string) => `{"to":"motivator","reason":"x","context":${deep}}`],
    ['POST', '/v1/sessions/ID/steps', (deep: string) => `{"observations":${deep}}`],
    ['POST', '/v1/sessions/ID/steps', (deep: string) => `{"observations":[{"kind":"relations","edges":${deep}}]}`],
    ['POST', '/v1/sessions/ID/context', (deep: string) => `{"maxTokens":10,"recall":${deep}}`],
    ['POST', '/v1/memories', (deep: string) => `{"userId":"ada","content":"x","metadata":{"a":${deep}}}`],
    ['POST', '/v1/recall', (deep: string) => `{"userId":"ada","query":"x","kinds":${deep}}`],
    ['POST', '/v1/conversations/c/messages', (deep: string) => `{"userId":"ada","message":"x","observations":${deep}}`],
  ])('ten thousand times in the body of %s %s is refused: %s', async (method, path, body) => {
    await target.harmless(async () => {
      for (const deep of [lists(10_000), objects(10_000), lists(200), objects(101)]) {
        expectProblem(await as(method, path, body(deep)), 400, 'VALIDATION')
      }
    })
  })

  it('ninety times is accepted and returned unchanged', async () => {
    const { status, body } = await as('PATCH', '/v1/sessions/ID/state', `{"deep":${objects(90)}}`)
    expect(status).toBe(200)
    expect(JSON.stringify((body as { scratchpad: { deep: unknown } }).scratchpad.deep)).toBe(objects(90))
  })
})

/** Fails for a response that no route may give, whatever the request. */
function answeredWell({ status, body, text, headers }: TestResponse, what: string): void {
  const code = (body as { code?: string } | undefined)?.code
  const isProblem = status >= 400 && status < 500 && code !== undefined && code !== 'INTERNAL'
  expect([what, status, status < 300 || isProblem, status < 300 ? '' : text.slice(0, 300)]).toEqual([
    what,
    status,
    true,
    expect.any(String),
  ])
  if (status >= 400) expect(headers['content-type']).toBe('application/problem+json; charset=utf-8')
}

describe('a body that is', () => {
  it.each(['', 'null', '"text"', '7', '-0', 'true', '[]', '[null]', '[[]]', '{}', '{"a":1}', '[{}]', '1e999'])(
    '%j gets a documented response from every route',
    async (text) => {
      for (const { method, path, route } of everyRequest(target, 'ada')) {
        if (method === 'GET' || method === 'DELETE') continue
        // a session for each, so that no request depends on another
        const session = await target.server.tl.sessions.create({
          userId: 'ada',
          tenant: 'acme',
          chatmode: text || 'none',
        })
        const at = path.replace(target.sessions.ada, session.id)
        answeredWell(await as(method, at, text), `${route.operation} of ${text}`)
        await target.server.tl.sessions.purge(session.id)
      }
      await target.harmless(async () => {})
    },
  )
})
