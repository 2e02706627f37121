import type { Health } from '../../api.ts'
import { type ThroughlineError, UnauthenticatedError } from '../../domain/errors.ts'
import type { Principal } from '../../domain/record.ts'
import { isLoopback } from '../../http/auth.ts'
import { noAnswer } from '../../remote/no-answer.ts'
import { errorOf } from '../../remote/problem.ts'
import { packageVersion } from '../../version.ts'
import { healthCheck as cacheHealthCheck } from './cache.ts'
import { type Check, problemIn, timeText } from './check.ts'
import { clockCheck, type OtherClock } from './clock.ts'
import { healthCheck, schemaCheck } from './store.ts'

/** Longest wait for one answer, in milliseconds. */
const PATIENCE = 5000

interface About {
  name: string
  version: string
  principal?: Principal
}

/** An answer, be it an error. */
interface Answer<T> {
  body?: T
  error?: ThroughlineError
  took: number
  clock?: OtherClock
}

/** Asks a server: whether it is there, whether it knows us, and how it is. */
export async function serverChecks(url: string, now: () => number): Promise<Check[]> {
  const token = process.env['THROUGHLINE_TOKEN'] || undefined
  const server = { url: url.replace(/\/+$/, ''), token, now }
  try {
    const about = await asked<About>(server, '/v1')
    const clock = clockCheck(now(), about.clock)
    if (about.error instanceof UnauthenticatedError) {
      return [aliveCheck(server.url, about), refusedCheck(token, about.error), await readyCheck(server), clock]
    }
    if (about.error !== undefined) throw about.error
    if (about.body?.name !== 'throughline') throw new Error(`what answers at ${server.url} is no Throughline server`)
    return [versionCheck(server.url, about), tokenCheck(server, about.body), ...(await healthChecks(server)), clock]
  } catch (error) {
    const advice = 'start it: throughline serve; or correct the address in --url or THROUGHLINE_URL'
    return [{ name: 'server', status: 'fail', found: problemIn(error), advice }, clockCheck(now())]
  }
}

interface Server {
  url: string
  token: string | undefined
  now: () => number
}

async function asked<T>({ url, token, now }: Server, path: string): Promise<Answer<T>> {
  const headers = { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  const [before, start] = [now(), performance.now()]
  const signal = AbortSignal.timeout(PATIENCE)
  try {
    const response = await fetch(`${url}${path}`, { headers, signal, redirect: 'manual' })
    const after = now()
    const took = performance.now() - start
    const text = await response.text()
    const there = Date.parse(response.headers.get('date') ?? '')
    // the header has whole seconds, of which the middle is meant
    const clock = { whose: 'the server', there: there + 500, before, after, grain: 1000 }
    const timed = { took, ...(!Number.isNaN(there) && { clock }) }
    if (!response.ok) return { error: errorOf(new URL(url).origin, response.status, text), ...timed }
    return { body: jsonIn(text) as T, ...timed }
  } catch (error) {
    if (signal.aborted) throw new Error(`the server at ${url} does not answer within ${PATIENCE / 1000} s`)
    throw noAnswer(new URL(url).origin, error)
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function aliveCheck(url: string, { took }: Answer<unknown>): Check {
  return { name: 'server', status: 'ok', found: `${url} answers in ${timeText(took)}` }
}

/** Versions before 1.0 may differ in what they say to each other with each second number. */
function versionCheck(url: string, { took, body }: Answer<About>): Check {
  const [here, there] = [packageVersion(), body?.version ?? 'unknown']
  const found = `${url} answers in ${timeText(took)}, version ${there}`
  const line = (version: string) => version.split('.').slice(0, 2).join('.')
  if (line(here) === line(there)) return { name: 'server', status: 'ok', found }
  const advice = `bring both to the same version: npm install throughline@${there} here, or another there`
  return { name: 'server', status: 'warn', found: `${found}; this is ${here}`, advice }
}

function refusedCheck(token: string | undefined, error: ThroughlineError): Check {
  const advice =
    token === undefined
      ? 'set THROUGHLINE_TOKEN to a token that the server accepts'
      : 'get a new token for THROUGHLINE_TOKEN, from the issuer that the server was set up for'
  const found = token === undefined ? 'none is set, and the server asks for one' : `refused: ${problemIn(error)}`
  return { name: 'token', status: 'fail', found, advice }
}

/** Whom the token stands for. */
function tokenCheck({ url, token }: Server, { principal }: About): Check {
  const whom = whomText(principal)
  if (token === undefined) {
    return { name: 'token', status: 'ok', found: `the server asks for none: it serves its own machine, as ${whom}` }
  }
  const { protocol, hostname } = new URL(url)
  if (protocol === 'https:' || isLoopback(hostname)) {
    return { name: 'token', status: 'ok', found: `accepted: for ${whom}` }
  }
  const advice = 'use https://…: whoever is on the way can read the token, and use it'
  return { name: 'token', status: 'warn', found: `accepted: for ${whom}; sent without encryption`, advice }
}

function whomText(principal: Principal | undefined): string {
  if (principal === undefined) return 'whoever runs the store: every tenant, and upkeep'
  const { tenant, userId } = principal
  return userId === undefined ? `every user of tenant ${tenant}` : `user ${userId} of tenant ${tenant}`
}

async function healthChecks(server: Server): Promise<Check[]> {
  const { body, error, took } = await asked<Health>(server, '/v1/health')
  if (body === undefined) {
    const found = error === undefined ? 'the server says nothing of it' : problemIn(error)
    return [{ name: 'store', status: 'fail', found, advice: 'run throughline doctor where the server runs' }]
  }
  const { store, schema, details, cache } = body
  const role = details['role'] === undefined ? [] : [roleCheck(details)]
  const cached = cache === undefined ? [] : [cacheHealthCheck(cache)]
  return [healthCheck(store, details, took), ...schemaCheck(schema), ...role, ...cached]
}

function roleCheck({ role, rights }: Health['details']): Check {
  if (rights === 'restricted') return { name: 'role', status: 'ok', found: `role ${role}: restricted, as it should be` }
  const advice = 'let the server connect as a role that is a member of throughline_app and no more'
  const found = `role ${role} (${rights}): passes over row level security, the second wall between tenants`
  return { name: 'role', status: 'warn', found, advice }
}

/** What anyone may ask: whether the store behind the server answers. */
async function readyCheck(server: Server): Promise<Check> {
  const { body, error } = await asked<{ ready?: boolean }>({ ...server, token: undefined }, '/readyz')
  if (body?.ready === true) return { name: 'store', status: 'ok', found: 'answers, as the server says' }
  const found = error === undefined ? 'the server does not say' : 'does not answer, as the server says'
  return { name: 'store', status: 'fail', found, advice: 'run throughline doctor where the server runs' }
}
