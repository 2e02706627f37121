import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ROUTES } from '../../src/http/routes.ts'
import { amount } from '../proof.ts'
import { operatorToken } from '../servers/http.ts'
import { requestTo } from './requests.ts'
import { send, startTarget, type Target } from './target.ts'

let target: Target
let operator: string
beforeAll(async () => {
  target = await startTarget()
  operator = await operatorToken()
})
afterAll(() => target.server.close())

/** Field names that some route knows, so that some requests pass the first check. */
const FIELDS =
  'userId tenant id type content role parts events messages expectedSequence idempotencyKey key value by gate note to reason context agent from metadata analysis personaId question text summary request observations kind path command edges label maxTokens strategy recall record format query limit cursor after before since until kinds category confidence source sessionId expiresInMs expiresAt __proto__ constructor length'.split(
    ' ',
  )
const WORDS = [
  'ada',
  'acme',
  'user_message',
  'user',
  'note',
  'coach',
  'motivator',
  'window',
  'file:a',
  '2026-01-01',
  'x.y',
]

const text = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', '\0', '\ud800', '%', "'; drop table events --", '"', 'NEAR(', '../..'),
)
const number = fc.oneof(fc.integer(), fc.double(), fc.constantFrom(0, 1, -1, -0, 2 ** 31, 2 ** 53, 1e308))
const { json } = fc.letrec<{ json: unknown }>((tie) => ({
  json: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(text, number, fc.boolean(), fc.constant(null)),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(
      fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...FIELDS) }, { weight: 1, arbitrary: text }),
      tie('json'),
      {
        maxKeys: 6,
      },
    ),
  ),
}))

/** A valid body with one changed field gets further than a random one. */
const changed = fc.tuple(fc.nat(), json)
const query = fc.array(fc.tuple(fc.oneof(fc.constantFrom(...FIELDS), text), text), { maxLength: 3 })
const encode = (part: string) => encodeURIComponent(part.toWellFormed())

/** All routes except the endless stream. */
const OPERATIONS = new Map(
  ROUTES.filter(({ operation }) => operation !== 'followEvents').map((route) => [route.operation, route]),
)

const request = fc.record({
  operation: fc.constantFrom(...OPERATIONS.keys()),
  body: fc.oneof(fc.record({ whole: json }), fc.record({ changed })),
  query,
  id: fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: text }),
  sequence: text,
  key: fc.option(fc.constantFrom('k1', 'k2', '%"%zz"', ''), { nil: undefined }),
  stream: fc.boolean(),
  isOperator: fc.boolean(),
})

function bodyOf(wellFormed: unknown, given: { whole?: unknown; changed?: [number, unknown] }): unknown {
  if (given.changed === undefined || typeof wellFormed !== 'object' || wellFormed === null) return given.whole ?? null
  const [at, value] = given.changed
  const names = [...Object.keys(wellFormed), ...FIELDS.slice(0, 5)]
  return Object.fromEntries([...Object.entries(wellFormed), [names[at % names.length], value]])
}

it('every route answers any JSON with a documented response or a client error', async () => {
  await fc.assert(
    fc.asyncProperty(request, async ({ operation, body, query, id, sequence, key, stream, isOperator }) => {
      const route = OPERATIONS.get(operation) as (typeof ROUTES)[number]
      const { memories, tokens, url } = target
      const session = await target.server.tl.sessions.create({ userId: 'ada', tenant: 'acme' })
      const own = { sessions: session.id, memories: memories.ada, users: 'ada' }[route.path.split('/')[1] ?? ''] ?? 'c'
      const well = requestTo(route, id ?? own)
      const path = well.path.replace('/at/2', `/at/${encode(sequence)}`)
      const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&')
      const answer = await send(url, route.method, `${path}?${search}`, {
        token: isOperator ? operator : tokens.ada,
        headers: {
          ...(key !== undefined && { 'idempotency-key': key }),
          ...(stream && { accept: 'text/event-stream' }),
        },
        ...(route.method !== 'GET' && { body: JSON.stringify(bodyOf(well.body, body)) }),
      })
      const { code } = (answer.body ?? {}) as { code?: string }
      // a client error, or an invalid legacy database
      const isFine = answer.status < 500 || (code === 'STORAGE' && route.operation === 'backfillEnvelopes')
      expect([answer.status, isFine, answer.text.slice(0, 300)]).toEqual([answer.status, true, expect.any(String)])
      expect(answer.text).not.toContain('"code":"INTERNAL"')
      expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
      if (isOperator) await target.server.tl.intake.resume()
    }),
    { seed: 8, numRuns: amount(200, 20_000) },
  )
  expect((await send(target.url, 'GET', '/v1', { token: target.tokens.ada })).status).toBe(200)
})
