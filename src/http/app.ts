import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  LogController,
} from 'fastify'
import { RateLimitedError, RouteNotFoundError, type ThroughlineError, UnavailableError } from '../domain/errors.ts'
import { type Json, stringifyJson } from '../domain/json.ts'
import { defined } from '../domain/optional.ts'
import type { Principal } from '../domain/record.ts'
import { restricted } from '../features/kernel/access.ts'
import type { Deps } from '../features/kernel/deps.ts'
import type { HttpMetrics, ServerRegistry } from '../metrics/http.ts'
import { limitAddresses } from './address-limit.ts'
import type { Admission, Limits, Visit } from './admission.ts'
import type { Authenticator, Caller } from './auth.ts'
import { readBody } from './body.ts'
import { knownError, problemOf, retryAfter } from './error-response.ts'
import { principalIn } from './headers.ts'
import { infoRoute } from './info-route.ts'
import { inspector } from './inspector.ts'
import { type McpFront, mcpRoutes } from './mcp-route.ts'
import { mount, type OnResponse } from './mount.ts'
import { openRoutes } from './open-routes.ts'
import { describeRoutes } from './openapi.ts'
import { ROUTES } from './routes.ts'
import type { Holder } from './share.ts'
import { cutUnreadBodies, expectsContinue } from './unread-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the request is admitted. */
    visit: Visit
    caller: Caller
    /** Set while a route works on the request; called when it is done. */
    handled: boolean
  }
}

/** The HTTP front. */
export type App = FastifyInstance

/** The parts of the server. */
export interface AppParts {
  readonly deps: Deps
  readonly authenticator: Authenticator
  readonly limits: Limits
  readonly admission: Admission
  readonly metrics: HttpMetrics
  readonly log: FastifyBaseLogger
  readonly version: string
  readonly registry: ServerRegistry
  /** Absent: no `/mcp`. */
  readonly mcp?: McpFront
  /** Aborted when the server stops. */
  readonly stopping: AbortSignal
  readonly onResponse?: OnResponse
}

/** Milliseconds for the headers of a request to arrive. */
const SLOWEST_HEADERS = 20_000
/** Milliseconds that a refused connection stays open, so that the response can be read. */
const LINGER = 1000
/** Milliseconds between checks for slow requests. */
const CHECK_TIMEOUTS = 500
/** Longest path parameter: 512 characters of three bytes, percent-encoded. */
const LONGEST_PARAM = 512 * 3 * 3

/** Builds the HTTP front over a store. It does not listen yet. */
export async function appOn(parts: AppParts): Promise<App> {
  const { limits, log } = parts
  const app = fastify({
    loggerInstance: log,
    // our own log: with the route, without the query, which may contain messages
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.body,
    requestTimeout: limits.requestTimeoutMs,
    http: {
      headersTimeout: Math.min(limits.requestTimeoutMs, SLOWEST_HEADERS),
      // by default Node checks every 30 s, which would turn a limit of one second into half a minute
      connectionsCheckingInterval: CHECK_TIMEOUTS,
    },
    routerOptions: { maxParamLength: LONGEST_PARAM },
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    exposeHeadRoutes: false,
    genReqId: () => parts.deps.newId(),
    clientErrorHandler,
    // an invalid path is found before routing
    frameworkErrors: (error, request, reply) => fail(error, request, reply, parts.metrics),
  })
  // the operations check input; returning a value here would turn an empty body into null
  app.setValidatorCompiler(() => () => true)
  app.setSerializerCompiler(() => (response) => stringifyJson(response as Json))
  app.setReplySerializer((response) => stringifyJson(response as Json))
  await describeRoutes(app, parts.version)
  takeBodies(app, limits)
  cutUnreadBodies(app)
  limitAddresses(app, limits.connectionsPerAddress)
  app.addHook('onRequest', (_request, reply, done) => {
    // of everything but the inspector, which sets its own
    void reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
    done()
  })
  installErrorHandlers(app, parts.metrics)
  openRoutes(app, parts)
  await inspector(app)
  await app.register((api, _options, done) => {
    authenticate(api, parts)
    const { admission, stopping, onResponse } = parts
    const { stallTimeoutMs } = limits
    const house = defined({ admission, stopping, stallTimeoutMs, problemText, onResponse })
    for (const route of [infoRoute(parts.version), ...ROUTES]) mount(api, route, house)
    if (parts.mcp !== undefined) mcpRoutes(api, parts.mcp)
    done()
  })
  return app
}

function takeBodies(app: FastifyInstance, limits: Limits): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(['application/json', 'application/merge-patch+json'], (request, stream, done) => {
    // no caller was authenticated for an unknown route: do not read the body
    if (request.is404) done(null)
    else readBody(stream, limits, request.visit, done)
  })
}

/** Holds requests until their caller is known. No tenant has this name. */
const STRANGERS: Holder = { name: '*', tenant: '*' }

/** Identifies and admits the caller before any byte of the body is read. */
function authenticate(api: FastifyInstance, parts: AppParts): void {
  const { metrics } = parts
  api.addHook('onRequest', (request, reply, done) => {
    let isGone = false
    // also fires if the caller disconnects before the response; onResponse does not
    reply.raw.once('close', () => {
      isGone = true
      if (!request.handled) request.visit?.leave()
      if (!reply.raw.writableFinished) logResponse(request, reply, metrics, GONE)
    })
    admit(request, parts).then(() => {
      if (isGone) request.visit.leave()
      else done()
    }, done)
  })
  api.addHook('preParsing', (request, reply, _payload, done) => {
    if (expectsContinue(request.raw)) reply.raw.writeContinue()
    done()
  })
  api.addHook('onResponse', (request, reply, done) => {
    logResponse(request, reply, metrics)
    done()
  })
}

async function admit(request: FastifyRequest, { admission, authenticator }: AppParts): Promise<void> {
  const { headers } = request
  const found = authenticator.callerOf(headers)
  // tokens that wait for a key server take no room from known callers
  if (found instanceof Promise) request.visit = admission.enter(STRANGERS)
  const caller = await found
  const principal = principalIn(headers)
  request.caller = principal === undefined ? caller : actingFor(caller, principal)
  request.visit?.leave()
  request.visit = admission.enter(request.caller)
  await admission.pace(request.caller)
}

/** The caller acting for a user, with that user's own limits: a gateway acts for many. */
function actingFor({ deps, name, tenant }: Caller, principal: Principal): Caller {
  const narrowed = restricted(deps, principal)
  // the operator uses the share of the tenant it acts for
  const ofTenant = deps.within === undefined ? principal.tenant : tenant
  const called = JSON.stringify([name, principal.tenant, principal.userId ?? ''])
  return defined({ deps: narrowed, name: called, tenant: ofTenant })
}

/** Logged instead of a status if the caller disconnected before the response. */
const GONE = 499

/** Logs and counts a response. The duration of a stream is not a latency. */
function logResponse(request: FastifyRequest, reply: FastifyReply, metrics: HttpMetrics, status = reply.statusCode) {
  const { method } = request
  const route = request.routeOptions.url ?? ''
  const isStream = String(reply.getHeader('content-type')).startsWith('text/event-stream')
  if (!isStream) metrics.answered({ method, route, status }, reply.elapsedTime / 1000)
  const ms = Math.round(reply.elapsedTime * 10) / 10
  request.log.info({ method, route, status, ms }, isStream ? 'stream ended' : 'responded')
}

function installErrorHandlers(app: FastifyInstance, metrics: HttpMetrics): void {
  app.setErrorHandler((error, request, reply) => fail(error, request, reply, metrics))
  app.setNotFoundHandler((request, reply) => {
    reply.raw.once('close', () => logResponse(request, reply, metrics))
    const path = request.url.split('?', 1)[0] ?? ''
    return fail(new RouteNotFoundError({ method: request.method, path: path.slice(0, 256) }), request, reply, metrics)
  })
}

function countRefusal(error: ThroughlineError, metrics: HttpMetrics): void {
  if (error instanceof RateLimitedError) metrics.refused(error.details.limit)
  else if (error instanceof UnavailableError) metrics.refused(error.details.reason)
  else if (error.code === 'TOO_MANY_STREAMS') metrics.refused('streamsPerCaller')
}

function fail(error: unknown, request: FastifyRequest, reply: FastifyReply, metrics: HttpMetrics) {
  const known = noted(error, request)
  countRefusal(known, metrics)
  const seconds = retryAfter(known)
  if (seconds !== undefined) void reply.header('retry-after', seconds)
  if (known.code === 'UNAUTHENTICATED') void reply.header('www-authenticate', 'Bearer')
  const problem = problemOf(known, request.id)
  return reply.code(problem.status).header('content-type', 'application/problem+json; charset=utf-8').send(problem)
}

/** Codes that the operator must know about. */
const OURS: ReadonlySet<string> = new Set(['INTERNAL', 'STORAGE', 'SCHEMA_OUTDATED', 'SCHEMA_NEWER'])

/** The error as the caller may see it; server errors are logged. */
function noted(error: unknown, request: FastifyRequest): ThroughlineError {
  const known = knownError(error, request.id)
  const isOurs = OURS.has(known.code) || (known instanceof UnavailableError && known.details.reason === 'keys')
  if (isOurs) request.log.error({ err: error }, 'failed')
  else request.log.debug({ code: known.code }, 'refused')
  return known
}

function problemText(error: unknown, request: FastifyRequest): string {
  return stringifyJson(problemOf(noted(error, request), request.id) as unknown as Json)
}

const PARSER_ERRORS: Record<string, { status: 400 | 408 | 431; code: 'VALIDATION' | 'TOO_LARGE'; detail: string }> = {
  HPE_HEADER_OVERFLOW: { status: 431, code: 'TOO_LARGE', detail: 'headers: are larger than is accepted' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: 'VALIDATION', detail: 'request: did not arrive in time' },
}

/** Responses to what Node's parser refuses: invalid HTTP, slow requests, too many headers. */
function clientErrorHandler(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const { status, code, detail } = PARSER_ERRORS[error.code ?? ''] ?? {
    status: 400,
    code: 'VALIDATION',
    detail: 'request: is not HTTP/1.1 as it should be',
  }
  const title = STATUS_CODES[status] ?? ''
  const problem = JSON.stringify({ type: 'about:blank', title, status, code, detail, details: {} })
  const head = `HTTP/1.1 ${status} ${title}\r\nconnection: close\r\ncontent-type: application/problem+json; charset=utf-8`
  socket.end(`${head}\r\ncontent-length: ${Buffer.byteLength(problem)}\r\n\r\n${problem}`)
  // leave time to read the response, but do not let the other side keep the connection open
  setTimeout(() => socket.destroy(), LINGER).unref()
}
