import { z } from 'zod'
import type { Throughline } from './api.ts'
import { StorageError, ValidationError } from './domain/errors.ts'
import { defined } from './domain/optional.ts'
import type { Deps } from './features/kernel/deps.ts'
import { name, parse } from './features/kernel/parse.ts'
import { depsOfRun } from './features/runs/fenced-store.ts'
import { runAccess } from './features/runs/hold.ts'
import { Staging } from './features/work/staging.ts'
import { Admission, DEFAULT_LIMITS, type Limits } from './http/admission.ts'
import { type App, appOn } from './http/app.ts'
import {
  type Authenticator,
  isLoopback,
  type JwtOptions,
  loopbackAuthenticator,
  tokenAuthenticator,
} from './http/auth.ts'
import { type Listening, listen } from './http/listen.ts'
import { serverLog } from './http/log.ts'
import { LOG_LEVELS, type LogLevel } from './http/log-level.ts'
import type { McpFront } from './http/mcp-route.ts'
import type { OnResponse } from './http/mount.ts'
import type { RequestRate } from './http/request-rate.ts'
import { jwtSettings, limitsOption, limitsSetting, portSetting, textSetting } from './http/settings.ts'
import type { ClaimedRuns, FindRun } from './mcp/claimed-runs.ts'
import { defaultUser } from './mcp/default-user.ts'
import { httpMetrics, newRegistry, type ServerRegistry } from './metrics/http.ts'
import { openDeps } from './open/open.ts'
import type { OpenOptions } from './open/options.ts'
import { pricesFrom } from './open/prices.ts'
import { throughlineOn } from './throughline.ts'
import { packageVersion } from './version.ts'

/** Options of {@link serve}, beside those of `open()`. */
export interface ServeOptions extends Omit<OpenOptions, 'token' | 'metrics'> {
  /** 0 picks a free port. @default `THROUGHLINE_PORT`, else 4747 */
  port?: number
  /** An address beyond this machine requires a token key. @default `THROUGHLINE_HOST`, else 127.0.0.1 */
  host?: string
  /**
   * How tokens are checked. @default `THROUGHLINE_JWT_…`; without a key it serves this machine only, as tenant `local`
   */
  jwt?: JwtOptions
  /** How much it accepts at once. @default `THROUGHLINE_LIMITS`, else the defaults of `Limits` */
  limits?: Partial<Limits>
  /** How much is logged, on stderr. @default 'info' */
  log?: LogLevel
  /** The prom-client registry behind `/metrics`. @default its own */
  metrics?: ServerRegistry
  /** The user of MCP calls without a token. @default `THROUGHLINE_USER`, else the user of the process */
  user?: string
}

/** A running server. */
export interface Server {
  /** Its address. */
  readonly url: string
  /** The same store without HTTP, as the operator. */
  readonly tl: Throughline
  /** Whether it requires tokens. */
  readonly secured: boolean
  /** Finishes accepted requests, refuses new ones, ends every stream, and closes the store. */
  close(): Promise<void>
}

const serveOptions = z.object({
  port: z.int().min(0).max(65535).optional(),
  host: z.string().min(1).optional(),
  limits: limitsOption.default({}),
  log: z.enum(LOG_LEVELS).default('info'),
  user: z.optional(name()),
})

/** Serves a store over HTTP: opens it, listens, and returns the running server. */
export async function serve(target: string | ServeOptions = {}): Promise<Server> {
  return await serveWith(typeof target === 'string' ? { url: target } : target)
}

/** Like {@link serve}; `onResponse` sees every response before it is sent. */
export async function serveWith(given: ServeOptions, onResponse?: OnResponse): Promise<Server> {
  const { port, host, limits, log, jwt, user, metrics = newRegistry(), ...opening } = given
  const options = parse(serveOptions, { port, host, limits, log, user })
  const address = {
    port: options.port ?? portSetting('THROUGHLINE_PORT') ?? 4747,
    host: options.host ?? textSetting('THROUGHLINE_HOST') ?? '127.0.0.1',
  }
  const tokens = jwt ?? jwtSettings()
  if (tokens === undefined && !isLoopback(address.host)) throw new ValidationError('host', NEEDS_KEY)
  const output = serverLog(options.log)
  const all = { ...DEFAULT_LIMITS, ...limitsSetting(), ...options.limits } as Limits
  const rate = tokens === undefined ? undefined : await requestRate(all)
  const prices = opening.prices ?? (await pricesFrom())
  const { deps, close } = await openDeps({ ...opening, metrics, ...defined({ prices }) })
  const stopping = new AbortController()
  const counted = httpMetrics(metrics)
  const admission = new Admission(all, counted.streams, rate)
  let app: App | undefined
  let listening: Listening
  try {
    const authenticator = await authenticatorFor(deps, tokens)
    app = await appOn(
      defined({
        deps,
        authenticator,
        limits: all,
        admission,
        metrics: counted,
        log: output,
        version: packageVersion(),
        registry: metrics,
        mcp: mcpFront(tokens === undefined ? (options.user ?? defaultUser()) : undefined),
        stopping: stopping.signal,
        onResponse,
      }),
    )
    listening = await listen(app, address, all.connections)
  } catch (error) {
    await app?.close()
    await close()
    throw error
  }
  const stop = async () => {
    admission.stop()
    stopping.abort()
    await listening.stop(admission.settled(), all.stopTimeoutMs)
  }
  let closing: Promise<void> | undefined
  return {
    url: listening.url,
    tl: throughlineOn(deps, async () => {}),
    secured: tokens !== undefined,
    close() {
      closing ??= stop().finally(close)
      return closing
    },
  }
}

/** Loaded only for servers with tokens, because it takes 20 ms. */
async function requestRate(limits: Limits): Promise<RequestRate> {
  const { RequestRate } = await import('./http/request-rate.ts')
  return new RequestRate(limits)
}

/** Loads MCP with its first message. */
function mcpFront(user: string | undefined): McpFront {
  const held = new Map<string, ClaimedRuns>()
  return {
    async handle({ deps: shared, userId, gone, ...incoming }) {
      const [{ handleMcpRequest }, { ClaimedRuns: Runs }] = await Promise.all([
        import('./mcp/http.ts'),
        import('./mcp/claimed-runs.ts'),
      ])
      // observations of one request must not mix with those of another
      const deps = { ...shared, staging: new Staging() }
      const tl = throughlineOn(deps, async () => {})
      const client = JSON.stringify([deps.within?.tenant, userId])
      const runs: ClaimedRuns =
        held.get(client) ??
        new Runs((isEmpty) => {
          if (isEmpty) held.delete(client)
          else held.set(client, runs)
        })
      const findRun: FindRun = (id, generation) => {
        const own = depsOfRun(deps, id, generation)
        return { session: () => throughlineOn(own, async () => {}).sessions.get(id), ...runAccess(own, id, generation) }
      }
      return await handleMcpRequest(tl, userId, { ...incoming, client: { runs, findRun, gone } })
    },
    ...(user !== undefined && { defaultUser: user }),
  }
}

const NEEDS_KEY =
  'must be 127.0.0.1, ::1 or localhost while no token key is configured; to listen elsewhere, set THROUGHLINE_JWT_SECRET, THROUGHLINE_JWKS_URL or THROUGHLINE_JWT_PUBLIC_KEY'

/** Refuses to serve tenants with a database role that bypasses row level security. */
async function authenticatorFor(deps: Deps, tokens: JwtOptions | undefined): Promise<Authenticator> {
  if (tokens === undefined) return loopbackAuthenticator(deps)
  const { details } = await deps.store.health()
  const { rights = 'restricted' } = details
  if (rights === 'restricted') return tokenAuthenticator(deps, tokens)
  throw new StorageError(
    deps.store.name,
    `the role '${details['role']}' (${rights}) bypasses row level security, which separates tenants; use a role that does not (see docs/stores.md)`,
  )
}
