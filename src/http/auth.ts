import { createPublicKey, type KeyObject } from 'node:crypto'
import { createRemoteJWKSet, errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import { z } from 'zod'
import { UnauthenticatedError, UnavailableError, ValidationError } from '../domain/errors.ts'
import { LIMITS } from '../domain/limits.ts'
import { defined } from '../domain/optional.ts'
import type { Principal } from '../domain/record.ts'
import { restricted } from '../features/kernel/access.ts'
import type { Deps } from '../features/kernel/deps.ts'
import { name, tenantName, text } from '../features/kernel/parse.ts'
import type { Holder } from './share.ts'

/** How tokens are checked. One of `secret`, `publicKey` and `jwksUrl`. */
export interface JwtOptions {
  /** Shared secret for HS256, HS384 and HS512, of at least 32 bytes. */
  secret?: string
  /** Public key as PEM. */
  publicKey?: string
  /** The issuer's JWKS URL. */
  jwksUrl?: string
  /** Accepted algorithms. @default HS256 for a secret, else that of the key: RS256, ES256 or EdDSA */
  algorithms?: readonly string[]
  /** Required `aud`. @default not checked */
  audience?: string
  /** Required `iss`. @default not checked */
  issuer?: string
}

/** Scope of a token that may act for every user of its tenant. */
export const ANY_USER = 'sessions:any'
/** Scope of an operator's token: it sees every tenant. */
export const OPERATOR = 'throughline:operator'

/** The caller, as operations and limits need it. */
export interface Caller extends Holder {
  readonly deps: Deps
}

/** Identifies the caller of a request. */
export interface Authenticator {
  /** Throws `UnauthenticatedError`. Returns synchronously if the token is cached. */
  callerOf(headers: Headers): Caller | Promise<Caller>
}

interface Headers {
  readonly authorization?: string | undefined
  readonly host?: string | undefined
  readonly origin?: string | undefined
}

/** Milliseconds for which a verified token is cached. */
const REMEMBERED = 60_000
/** Tokens in the cache at most. */
const MOST = 10_000

/** Verifies tokens and restricts the store to their claims: the only place where identity enters the server. */
export function tokenAuthenticator(deps: Deps, options: JwtOptions): Authenticator {
  const verify = verifier(options)
  const known = new Map<string, { caller: Caller; until: number }>()
  const check = async (token: string): Promise<Caller> => {
    const claims = await verify(token)
    const caller = callerFrom(deps, claims)
    const until = Math.min(Date.now() + REMEMBERED, (claims.exp ?? Number.POSITIVE_INFINITY) * 1000)
    for (const oldest of known.keys()) {
      if (known.size < MOST) break
      known.delete(oldest)
    }
    known.set(token, { caller, until })
    return caller
  }
  return {
    callerOf({ authorization = '' }) {
      const [, token] = /^Bearer +([^\s]+)$/i.exec(authorization) ?? []
      if (token === undefined) throw new UnauthenticatedError('send the header Authorization: Bearer <token>')
      const found = known.get(token)
      if (found !== undefined && found.until > Date.now()) return found.caller
      known.delete(token)
      return check(token)
    },
  }
}

/** Accepts callers on this machine as tenant `local`, but not pages of other sites in a local browser. */
export function loopbackAuthenticator(deps: Deps): Authenticator {
  const caller = { deps: restricted(deps, { tenant: 'local' }), name: 'local' }
  return {
    callerOf({ host = '', origin }) {
      if (!isLoopback(hostname(host))) {
        throw new UnauthenticatedError(
          'without a token key this server only accepts requests to localhost; use localhost in the address',
        )
      }
      if (origin !== undefined && origin !== `http://${host}`) {
        throw new UnauthenticatedError('without a token key this server refuses requests from pages of other origins')
      }
      return caller
    },
  }
}

/** Whether only this machine can reach the address. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host)
}

function hostname(host: string): string {
  return host.replace(/:\d+$/, '')
}

type Verify = (token: string) => Promise<JWTPayload>

function verifier(options: JwtOptions): Verify {
  const { audience, issuer } = options
  const { key, algorithms } = keyOf(options)
  const expected: JWTVerifyOptions = defined({ algorithms: [...algorithms], audience, issuer })
  return async (token) => {
    try {
      // overloads: a key, or a function that finds it
      const { payload } = await (typeof key === 'function'
        ? jwtVerify(token, key, expected)
        : jwtVerify(token, key, expected))
      return payload
    } catch (cause) {
      if (typeof key === 'function' && isKeyTrouble(cause)) throw new UnavailableError('keys', { cause })
      throw new UnauthenticatedError(problemWith(cause), { cause })
    }
  }
}

/** Whether the key server failed, not the token. */
function isKeyTrouble(error: unknown): boolean {
  if (!(error instanceof errors.JOSEError)) return true
  return ['ERR_JOSE_GENERIC', 'ERR_JWKS_TIMEOUT', 'ERR_JWKS_INVALID'].includes(error.code)
}

/** What is wrong with a token, without repeating any of it. */
function problemWith(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'the token has expired'
  if (error instanceof errors.JWTClaimValidationFailed) return `the claim ${error.claim} of the token is invalid`
  if (error instanceof errors.JOSEAlgNotAllowed) return 'the algorithm of the token is not allowed'
  if (error instanceof errors.JWKSNoMatchingKey) return 'the key of the token cannot be found'
  return 'the token is invalid'
}

type Key = Uint8Array | KeyObject | ReturnType<typeof createRemoteJWKSet>

/** Bytes of an HS256 hash: RFC 7518 allows no shorter key. */
const SHORTEST_SECRET = 32

const SHARED = ['HS256', 'HS384', 'HS512']
const PUBLIC = 'RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519'.split(' ')

/** The key and its algorithms: a public key is never used as a shared secret. */
function keyOf({ secret, publicKey, jwksUrl, algorithms }: JwtOptions): { key: Key; algorithms: readonly string[] } {
  const given = [secret, publicKey, jwksUrl].filter((value) => value !== undefined)
  if (given.length !== 1) throw new ValidationError('jwt', 'must have one of secret, publicKey and jwksUrl')
  if (secret !== undefined && Buffer.byteLength(secret) < SHORTEST_SECRET) {
    throw new ValidationError(
      'jwt.secret',
      `must have at least ${SHORTEST_SECRET} bytes, or it could be guessed; make one with openssl rand -hex 32 and set it as THROUGHLINE_JWT_SECRET`,
    )
  }
  const fit = secret === undefined ? PUBLIC : SHARED
  const wrong = algorithms?.find((algorithm) => !fit.includes(algorithm))
  if (wrong !== undefined || algorithms?.length === 0) {
    const fitting = secret === undefined ? 'RS256, ES256, EdDSA …' : SHARED.join(', ')
    throw new ValidationError('jwt.algorithms', `must be one of ${fitting} for this key`)
  }
  if (secret !== undefined) return { key: new TextEncoder().encode(secret), algorithms: algorithms ?? ['HS256'] }
  if (jwksUrl !== undefined) {
    return { key: createRemoteJWKSet(urlOf(jwksUrl)), algorithms: algorithms ?? ['RS256', 'ES256', 'EdDSA'] }
  }
  const key = publicKeyOf(publicKey ?? '')
  return { key, algorithms: algorithms ?? [algorithmFor(key)] }
}

function urlOf(jwksUrl: string): URL {
  if (!URL.canParse(jwksUrl)) throw new ValidationError('jwt.jwksUrl', 'must be a URL')
  return new URL(jwksUrl)
}

function publicKeyOf(pem: string): KeyObject {
  try {
    return createPublicKey(pem)
  } catch (cause) {
    throw new ValidationError('jwt.publicKey', 'must be a public key as PEM', { cause })
  }
}

function algorithmFor(key: KeyObject): string {
  switch (key.asymmetricKeyType) {
    case 'rsa':
      return 'RS256'
    case 'ec':
      return 'ES256'
    case 'ed25519':
      return 'EdDSA'
    default:
      throw new ValidationError('jwt.algorithms', 'is required for a key of this type')
  }
}

/** The required claims; others are ignored. */
const claims = z.object({
  tenant: z.optional(tenantName()),
  sub: name(),
  iss: z.optional(name()),
  scope: z.optional(text(LIMITS.note)),
})

function callerFrom(deps: Deps, payload: JWTPayload): Caller {
  const parsed = claims.safeParse(payload)
  if (!parsed.success) {
    const claim = String(parsed.error.issues[0]?.path[0])
    throw new UnauthenticatedError(`the claim ${claim} of the token is missing or invalid`)
  }
  const { tenant, sub, iss, scope } = parsed.data
  const scopes = (scope ?? '').split(' ')
  if (scopes.includes(OPERATOR)) return { deps, name: JSON.stringify(['', 'operator', sub]) }
  if (tenant === undefined) throw new UnauthenticatedError('the claim tenant of the token is missing or invalid')
  const principal: Principal = {
    tenant,
    ...(!scopes.includes(ANY_USER) && { userId: sub }),
    ...(iss !== undefined && { issuer: iss }),
    ...(scope !== undefined && { scope }),
  }
  return { deps: restricted(deps, principal), name: JSON.stringify([tenant, sub]), tenant }
}
