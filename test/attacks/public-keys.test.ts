import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CompactSign, type JWK, SignJWT } from 'jose'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { JwtOptions } from '../../src/http/auth.ts'
import { SECRET } from '../servers/http.ts'
import { expectProblem, send, startTarget, type Target } from './target.ts'

interface Pair {
  publicKey: KeyObject
  privateKey: KeyObject
}

const rsa = (): Pair => generateKeyPairSync('rsa', { modulusLength: 2048 })
const ec = (): Pair => generateKeyPairSync('ec', { namedCurve: 'P-256' })
const ed = (): Pair => generateKeyPairSync('ed25519')
/** One key of each kind, of an untrusted issuer. */
const STRANGERS = { RS256: rsa(), PS256: rsa(), ES256: ec(), EdDSA: ed() }

const pemOf = ({ publicKey }: Pair) => publicKey.export({ type: 'spki', format: 'pem' }).toString()

const stops: (() => Promise<void>)[] = []
afterEach(async () => {
  vi.useRealTimers()
  for (const stop of stops.splice(0)) await stop()
})

async function start(jwt: JwtOptions): Promise<Target> {
  const target = await startTarget({ jwt })
  stops.push(() => target.server.close())
  return target
}

/** A token signed with this key. */
async function signed(key: KeyObject | Uint8Array, alg: string, kid?: string): Promise<string> {
  return await new SignJWT({ tenant: 'acme', sub: 'ada' })
    .setProtectedHeader({ alg, ...(kid !== undefined && { kid }) })
    .setExpirationTime('1h')
    .sign(key)
}

/** Each of these tokens is refused, and writes nothing. */
async function refusedAll(target: Target, tokens: readonly string[]): Promise<void> {
  await target.harmless(async () => {
    for (const token of tokens) {
      const body = { userId: 'ada', chatmode: 'intruder' }
      expectProblem(await send(target.url, 'POST', '/v1/sessions', { token, body }), 401, 'UNAUTHENTICATED')
    }
  })
}

/** A token of Ada that must still be accepted after an attack. */
async function trusted(target: Target, token: string): Promise<void> {
  target.tokens.ada = token
  const { status, body } = await send(target.url, 'GET', '/v1', { token })
  expect(status).toBe(200)
  expect(body).toMatchObject({ principal: { tenant: 'acme', userId: 'ada' } })
}

describe('a server with a public key', () => {
  it('accepts RS256 of that key, but not HS256 with the public key as its secret', async () => {
    const own = rsa()
    const pem = pemOf(own)
    const target = await start({ publicKey: pem })
    await trusted(target, await signed(own.privateKey, 'RS256'))
    const bare = pem.replaceAll(/-----.*-----|\s/g, '')
    const { n = '' } = own.publicKey.export({ format: 'jwk' })
    const texts = [pem, pem.trim(), pem.replaceAll('\n', '\r\n'), pem.replaceAll('\n', '\\n'), bare, n]
    const bytes = [Buffer.from(bare, 'base64'), Buffer.from(n, 'base64url')]
    const secrets = [...texts.map((text) => Buffer.from(text)), ...bytes]
    // signed by hand: jose refuses a secret that looks like a key, other libraries do not
    const forged = secrets.flatMap((secret) => ['HS256', 'HS384', 'HS512'].map((alg) => signed(secret, alg)))
    await refusedAll(target, await Promise.all(forged))
  })

  it.each([
    ['RS256', rsa],
    ['ES256', ec],
    ['EdDSA', ed],
  ] as const)('takes %s of its own key, and no token of another key', async (alg, generate) => {
    const own = generate()
    const target = await start({ publicKey: pemOf(own) })
    await trusted(target, await signed(own.privateKey, alg))
    const strangers = Object.entries(STRANGERS).map(([name, { privateKey }]) => signed(privateKey, name))
    await refusedAll(target, [...(await Promise.all(strangers)), await signed(Buffer.from(SECRET), 'HS256')])
  })

  it('accepts the configured algorithms, and no other that the key supports', async () => {
    const own = rsa()
    const target = await start({ publicKey: pemOf(own), algorithms: ['PS256'] })
    await trusted(target, await signed(own.privateKey, 'PS256'))
    const others = ['RS256', 'RS384', 'RS512', 'PS384', 'PS512'].map((alg) => signed(own.privateKey, alg))
    await refusedAll(target, await Promise.all(others))
  })

  it('refuses a token whose payload is not claims', async () => {
    const own = ec()
    const target = await start({ publicKey: pemOf(own) })
    await trusted(target, await signed(own.privateKey, 'ES256'))
    const said = ['', 'null', '[]', '"ada"', '[{"tenant":"acme","sub":"ada"}]', '{"tenant":"acme","sub":"ada"']
    const tokens = said.map((text) =>
      new CompactSign(Buffer.from(text)).setProtectedHeader({ alg: 'ES256' }).sign(own.privateKey),
    )
    await refusedAll(target, await Promise.all(tokens))
  })
})

describe('contradictory key settings', () => {
  const publicKey = pemOf(STRANGERS.RS256)

  it.each<[string, JwtOptions, string]>([
    ['a public key for a shared secret’s algorithm', { publicKey, algorithms: ['RS256', 'HS256'] }, 'jwt.algorithms'],
    ['published keys for it', { jwksUrl: 'https://issuer.example', algorithms: ['HS256'] }, 'jwt.algorithms'],
    ['a secret for a public key’s algorithm', { secret: SECRET, algorithms: ['RS256'] }, 'jwt.algorithms'],
    ['a secret for the algorithm none', { secret: SECRET, algorithms: ['HS256', 'none'] }, 'jwt.algorithms'],
    ['a public key for the algorithm none', { publicKey, algorithms: ['none'] }, 'jwt.algorithms'],
    ['a secret and no algorithm at all', { secret: SECRET, algorithms: [] }, 'jwt.algorithms'],
    ['a secret and a public key', { secret: SECRET, publicKey }, 'jwt'],
    ['no key at all', {}, 'jwt'],
    ['an empty secret', { secret: '' }, 'jwt.secret'],
    ['a secret of 31 bytes', { secret: 's'.repeat(31) }, 'jwt.secret'],
    ['a public key that is none', { publicKey: 'PEM' }, 'jwt.publicKey'],
    ['keys at an address that is none', { jwksUrl: 'keys' }, 'jwt.jwksUrl'],
  ])('%s: the server does not start', async (_what, jwt, field) => {
    await expect(start(jwt)).rejects.toMatchObject({ code: 'VALIDATION', field })
  })
})

describe('keys that the issuer publishes', () => {
  /** An issuer on loopback. */
  async function issuer() {
    const keys: JWK[] = []
    let asked = 0
    const server = createServer((_request, response) => {
      asked++
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    stops.push(async () => void server.close())
    const { port } = server.address() as AddressInfo
    const publish = (kid: string) => {
      const { publicKey, privateKey } = ec()
      keys.push({ ...publicKey.export({ format: 'jwk' }), kid, alg: 'ES256' } as JWK)
      return privateKey
    }
    const withdraw = (kid: string) => keys.splice(0, keys.length, ...keys.filter((key) => key.kid !== kid))
    return { url: `http://127.0.0.1:${port}/keys`, publish, withdraw, asked: () => asked }
  }

  /** Fakes only the date: timers run normally. */
  function later(minutes: number): void {
    const to = Date.now() + minutes * 60_000
    vi.useFakeTimers({ toFake: ['Date'], now: to })
  }

  it('can be rotated: the new key is accepted, the old one is refused', async () => {
    const at = await issuer()
    const target = await start({ jwksUrl: at.url })
    const first = await signed(at.publish('first'), 'ES256', 'first')
    await trusted(target, first)
    const second = at.publish('second')
    at.withdraw('first')
    later(1)
    await trusted(target, await signed(second, 'ES256', 'second'))
    await refusedAll(target, [first])
  })

  it('that are unknown, or whose id a forged token names, are refused', async () => {
    const at = await issuer()
    const target = await start({ jwksUrl: at.url })
    await trusted(target, await signed(at.publish('first'), 'ES256', 'first'))
    const { privateKey } = STRANGERS.ES256
    await refusedAll(target, [
      await signed(privateKey, 'ES256', 'first'),
      await signed(privateKey, 'ES256', 'unknown'),
      await signed(privateKey, 'ES256'),
      await signed(STRANGERS.RS256.privateKey, 'RS256', 'first'),
      await signed(Buffer.from(SECRET), 'HS256', 'first'),
    ])
  })

  it('are not fetched again for every token with an unknown key', async () => {
    const at = await issuer()
    const target = await start({ jwksUrl: at.url })
    await trusted(target, await signed(at.publish('first'), 'ES256', 'first'))
    const tokens = Array.from({ length: 20 }, (_, n) => signed(STRANGERS.ES256.privateKey, 'ES256', `unknown ${n}`))
    await refusedAll(target, await Promise.all(tokens))
    expect(at.asked()).toBe(1)
  })

  it('that cannot be fetched: tokens are refused with a retry, and the server keeps running', async () => {
    const target = await start({ jwksUrl: 'http://127.0.0.1:1/keys' })
    const token = await signed(STRANGERS.ES256.privateKey, 'ES256', 'first')
    for (let i = 0; i < 3; i++) {
      expectProblem(await send(target.url, 'GET', '/v1', { token }), 503, 'UNAVAILABLE')
    }
    expect((await send(target.url, 'GET', '/healthz')).status).toBe(200)
  })
})
