import type { Health } from '../../api.ts'
import { type ThroughlineError, UnauthenticatedError } from '../../domain/errors.ts'
import type { Principal } from '../../domain/record.ts'
import { isLoopback } from '../../http/auth.ts'
import { errorFromResponse } from '../../remote/problem.ts'
import { networkError } from '../../remote/retryable-error.ts'
import { packageVersion } from '../../version.ts'
import { checkCacheHealth } from './cache.ts'
import { type Check, errorMessage, fail, formatDuration, ok, warn } from './check.ts'
import { checkClock, type OtherClock } from './clock.ts'
import { checkSchema, checkStoreHealth } from './store.ts'

const TIMEOUT_MS = 5000

interface ServerInfo {
  name: string
  version: string
  principal?: Principal
}

/** A response or an error response, with its timing. */
interface TimedResponse<T> {
  body?: T
  error?: ThroughlineError
  elapsed: number
  clock?: OtherClock
}

/** Checks that a server answers, accepts the token and is healthy. */
export async function checkServer(url: string, now: () => number): Promise<Check[]> {
  const token = process.env['THROUGHLINE_TOKEN'] || undefined
  const server = { url: url.replace(/\/+$/, ''), token, now }
  try {
    const about = await request<ServerInfo>(server, '/v1')
    const clock = checkClock(now(), about.clock)
    if (about.error instanceof UnauthenticatedError) {
      const reachable = ok('server', `${server.url} answers in ${formatDuration(about.elapsed)}`)
      return [reachable, describeRefusedToken(token, about.error), await checkReady(server), clock]
    }
    if (about.error !== undefined) throw about.error
    if (about.body?.name !== 'throughline') throw new Error(`${server.url} is not a Throughline server`)
    return [checkVersion(server.url, about), checkToken(server, about.body), ...(await checkHealth(server)), clock]
  } catch (error) {
    const advice = 'start it with throughline serve, or fix --url or THROUGHLINE_URL'
    return [fail('server', errorMessage(error), advice), checkClock(now())]
  }
}

interface Server {
  url: string
  token: string | undefined
  now: () => number
}

async function request<T>({ url, token, now }: Server, path: string): Promise<TimedResponse<T>> {
  const headers = { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const [before, start] = [now(), performance.now()]
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetch(`${url}${path}`, { headers, signal, redirect: 'manual' })
    const after = now()
    const elapsed = performance.now() - start
    const text = await response.text()
    const serverTime = Date.parse(response.headers.get('date') ?? '')
    // the header has whole seconds: assume the middle
    const clock = { name: 'the server', time: serverTime + 500, before, after, resolution: 1000 }
    const timed = { elapsed, ...(!Number.isNaN(serverTime) && { clock }) }
    if (!response.ok) return { error: errorFromResponse(new URL(url).origin, response.status, text), ...timed }
    return { body: tryParseJson(text) as T, ...timed }
  } catch (error) {
    if (signal.aborted) throw new Error(`the server at ${url} did not answer within ${TIMEOUT_MS / 1000} s`)
    throw networkError(new URL(url).origin, error)
  }
}

function tryParseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Before 1.0, minor versions may have different protocols. */
function checkVersion(url: string, { elapsed, body }: TimedResponse<ServerInfo>): Check {
  const [here, there] = [packageVersion(), body?.version ?? 'unknown']
  const found = `${url} answers in ${formatDuration(elapsed)}, version ${there}`
  const line = (version: string) => version.split('.').slice(0, 2).join('.')
  if (line(here) === line(there)) return ok('server', found)
  const advice = `use the same version on both sides: npm install throughline@${there}`
  return warn('server', `${found}; the client has ${here}`, advice)
}

function describeRefusedToken(token: string | undefined, error: ThroughlineError): Check {
  if (token === undefined) {
    const advice = 'set THROUGHLINE_TOKEN to a token that the server accepts'
    return fail('token', 'missing: the server requires one', advice)
  }
  const advice = 'set THROUGHLINE_TOKEN to a new token from the issuer that the server trusts'
  return fail('token', `rejected: ${errorMessage(error)}`, advice)
}

/** Whom the token identifies, and whether it is sent encrypted. */
function checkToken({ url, token }: Server, { principal }: ServerInfo): Check {
  const principalText = describePrincipal(principal)
  if (token === undefined) {
    return ok('token', `not required: the server listens on its own machine only, as ${principalText}`)
  }
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || isLoopback(hostname)) {
    return ok('token', `accepted for ${principalText}`)
  }
  const advice = 'use https://…: others on the network can read the token and use it'
  return warn('token', `accepted for ${principalText}; sent without encryption`, advice)
}

function describePrincipal(principal: Principal | undefined): string {
  if (principal === undefined) return 'the operator: every tenant, and maintenance'
  const { tenant, userId } = principal
  return userId === undefined ? `every user of tenant ${tenant}` : `user ${userId} of tenant ${tenant}`
}

async function checkHealth(server: Server): Promise<Check[]> {
  const { body, error, elapsed } = await request<Health>(server, '/v1/health')
  if (body === undefined) {
    const found = error === undefined ? 'the server does not report it' : errorMessage(error)
    return [fail('store', found, 'run throughline doctor where the server runs')]
  }
  const { store, schema, details, cache } = body
  const role = details['role'] === undefined ? [] : [checkRole(details)]
  const cached = cache === undefined ? [] : [checkCacheHealth(cache)]
  return [checkStoreHealth(store, details, elapsed), ...checkSchema(schema), ...role, ...cached]
}

function checkRole({ role, rights }: Health['details']): Check {
  if (rights === 'restricted') return ok('role', `role ${role}: restricted`)
  const advice = 'connect the server as a role that is only a member of throughline_app'
  const found = `role ${role} (${rights}): bypasses row level security, which separates tenants`
  return warn('role', found, advice)
}

/** Whether the store behind the server answers. Needs no token. */
async function checkReady(server: Server): Promise<Check> {
  const { body, error } = await request<{ ready?: boolean }>({ ...server, token: undefined }, '/readyz')
  if (body?.ready === true) return ok('store', 'the server reports it ready')
  const found = error === undefined ? 'the server does not report it' : 'the server reports it not ready'
  return fail('store', found, 'run throughline doctor where the server runs')
}
