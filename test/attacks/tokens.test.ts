import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRET, tokenOf } from '../servers/http.ts'
import { expectProblem, send, startTarget, type Target, type TestResponse } from './target.ts'

const AUDIENCE = 'https://sessions.example'
const ISSUER = 'https://issuer.example'
const secret = new TextEncoder().encode(SECRET)
const CLAIMS = { tenant: 'acme', sub: 'ada', aud: AUDIENCE, iss: ISSUER }

let target: Target
let good: string
beforeAll(async () => {
  target = await startTarget({ jwt: { secret: SECRET, audience: AUDIENCE, issuer: ISSUER } })
  good = await tokenOf(CLAIMS)
  Object.assign(target.tokens, { ada: good })
})
afterAll(() => target.server.close())

/** A write with this header, which must be refused. */
async function writeWith(headers: Record<string, string | string[]>): Promise<TestResponse> {
  return await target.harmless(() =>
    send(target.url, 'POST', '/v1/sessions', { headers, body: { userId: 'ada', chatmode: 'intruder' } }),
  )
}

async function refused(token: string): Promise<void> {
  const answer = await writeWith({ authorization: `Bearer ${token}` })
  expectProblem(answer, 401, 'UNAUTHENTICATED')
  expect(answer.headers['www-authenticate']).toBe('Bearer')
  expect(answer.text).not.toContain(token.slice(0, 20) || 'Bearer')
}

it('accepts a token with valid claims', async () => {
  const { status, body } = await send(target.url, 'GET', '/v1', { token: good })
  expect(status).toBe(200)
  expect(body).toMatchObject({ principal: { tenant: 'acme', userId: 'ada', issuer: ISSUER } })
})

describe('the header', () => {
  it.each([
    ['is missing', {}],
    ['is empty', { authorization: '' }],
    ['has no scheme', 'TOKEN'],
    ['has the scheme alone', 'Bearer'],
    ['has the scheme and a blank', 'Bearer '],
    ['has another scheme', 'Basic TOKEN'],
    ['has another scheme that begins the same', 'BearerX TOKEN'],
    ['has something behind the token', 'Bearer TOKEN TOKEN'],
    ['has a comma behind the token', 'Bearer TOKEN,'],
  ])('%s: refused', async (_what, header) => {
    const value = typeof header === 'string' ? { authorization: header.replaceAll('TOKEN', good) } : header
    expectProblem(await writeWith(value), 401, 'UNAUTHENTICATED')
  })

  it('is not read from the query or a cookie', async () => {
    const path = `/v1?access_token=${good}&authorization=Bearer%20${good}`
    const cookies = { cookie: `authorization=Bearer ${good}; token=${good}` }
    expectProblem(await send(target.url, 'GET', path, { headers: cookies }), 401, 'UNAUTHENTICATED')
  })
})

describe('a token with a valid signature, but', () => {
  const signed = (claims: Record<string, unknown>, alg = 'HS256') =>
    new SignJWT(claims).setProtectedHeader({ alg }).sign(secret)
  const now = () => Math.floor(Date.now() / 1000)

  it.each([
    ['has expired', () => signed({ ...CLAIMS, exp: now() - 1 })],
    ['expires right now', () => signed({ ...CLAIMS, exp: now() })],
    ['is not valid yet', () => signed({ ...CLAIMS, exp: now() + 600, nbf: now() + 300 })],
    ['expires at no time that is a number', () => signed({ ...CLAIMS, exp: 'never' })],
    ['is for another audience', () => signed({ ...CLAIMS, aud: 'https://elsewhere.example' })],
    ['is for an audience that only begins the same', () => signed({ ...CLAIMS, aud: `${AUDIENCE}.evil` })],
    ['is for no audience', () => signed({ ...CLAIMS, aud: undefined })],
    ['is of another issuer', () => signed({ ...CLAIMS, iss: 'https://elsewhere.example' })],
    ['is of no issuer', () => signed({ ...CLAIMS, iss: undefined })],
    ['uses an algorithm that is not configured', () => signed(CLAIMS, 'HS512')],
    ['names no tenant', () => signed({ ...CLAIMS, tenant: undefined })],
    ['names an empty tenant', () => signed({ ...CLAIMS, tenant: '' })],
    ['names the tenant that stands for all', () => signed({ ...CLAIMS, tenant: '*' })],
    ['names a tenant with a control character', () => signed({ ...CLAIMS, tenant: 'acme\n' })],
    ['names a tenant that is a number', () => signed({ ...CLAIMS, tenant: 7 })],
    ['names several tenants', () => signed({ ...CLAIMS, tenant: ['acme', 'globex'] })],
    ['names a tenant that is null', () => signed({ ...CLAIMS, tenant: null })],
    ['names no user', () => signed({ ...CLAIMS, sub: undefined })],
    ['names an empty user', () => signed({ ...CLAIMS, sub: '' })],
    ['names a user that is an object', () => signed({ ...CLAIMS, sub: { id: 'ada' } as unknown as string })],
    ['names a user with the character NUL', () => signed({ ...CLAIMS, sub: 'ada\0' })],
    ['names a user that is too long', () => signed({ ...CLAIMS, sub: 'a'.repeat(513) })],
    ['has a scope that is a list', () => signed({ ...CLAIMS, scope: ['throughline:operator'] })],
  ])('%s: refused', async (_what, token) => {
    await refused(await token())
  })

  it('a scope that only resembles the operator scope gives no more rights', async () => {
    const { status, body } = await send(target.url, 'GET', '/v1', {
      token: await tokenOf({ ...CLAIMS, scope: 'xthroughline:operator throughline:operators sessions:anything' }),
    })
    expect(status).toBe(200)
    expect(body).toMatchObject({ principal: { tenant: 'acme', userId: 'ada' } })
  })
})

describe('a token that is not signed', () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it.each(['none', 'None', 'NONE', 'nOnE', '', 'HS256'])(
    'with alg %j: refused, with and without a last dot',
    async (alg) => {
      const unsigned = `${part({ alg, typ: 'JWT' })}.${part({ ...CLAIMS, exp: 9_999_999_999 })}`
      const [, , signature] = good.split('.')
      for (const token of [unsigned, `${unsigned}.`, `${unsigned}.${signature}`]) await refused(token)
    },
  )

  it('that brings its own key is refused', async () => {
    const key = { kty: 'oct', k: Buffer.from('a key of the attacker, long enough').toString('base64url') }
    const token = await new SignJWT(CLAIMS)
      .setProtectedHeader({ alg: 'HS256', jwk: key as never, kid: '../../dev/null' })
      .sign(Buffer.from(key.k, 'base64url'))
    await refused(token)
  })

  it('that marks an unknown header as critical is refused', async () => {
    const header = part({ alg: 'HS256', crit: ['exp'] })
    const [, claims, signature] = good.split('.')
    await refused(`${header}.${claims}.${signature}`)
  })
})

it('a token signed with another secret is refused', async () => {
  await refused(await tokenOf(CLAIMS, { secret: 'another secret of thirty-two bytes or more' }))
})

it('a token whose claims were changed after it was signed is refused', async () => {
  const [header, , signature] = good.split('.')
  const claims = Buffer.from(JSON.stringify({ ...CLAIMS, tenant: 'globex' })).toString('base64url')
  await refused(`${header}.${claims}.${signature}`)
})

it.each([
  ['a word', 'garbage'],
  ['three empty parts', '..'],
  ['five parts', 'a.b.c.d.e'],
  ['bytes that are no JSON', `${Buffer.from('{').toString('base64url')}.e30.e30`],
  ['JSON that is no header', 'bnVsbA.bnVsbA.bnVsbA'],
  [
    'a header that would pollute',
    `${Buffer.from('{"__proto__":{"polluted":1},"alg":"HS256"}').toString('base64url')}.e30.e30`,
  ],
  ['14 KB', 'x'.repeat(14_000)],
])('a token that is %s is refused', async (_what, token) => {
  await refused(token)
})

it('a token of 100 KB exceeds the header limit', async () => {
  const answer = await writeWith({ authorization: `Bearer ${'x'.repeat(100_000)}` })
  expect({ status: answer.status, code: (answer.body as { code: string }).code }).toEqual({
    status: 431,
    code: 'TOO_LARGE',
  })
})

it('an accepted token is refused once it has expired, although it is cached', async () => {
  // two, since claims count whole seconds and one might end at once
  const exp = Math.floor(Date.now() / 1000) + 2
  const token = await new SignJWT({ ...CLAIMS, exp }).setProtectedHeader({ alg: 'HS256' }).sign(secret)
  let answer = await send(target.url, 'GET', '/v1', { token })
  expect(answer.status).toBe(200)
  while (answer.status === 200) answer = await send(target.url, 'GET', '/v1', { token })
  expect(Date.now()).toBeGreaterThanOrEqual(exp * 1000)
  expectProblem(answer, 401, 'UNAUTHENTICATED')
})
