import { z } from 'zod'
import type { Throughline } from './api.ts'
import { StorageError, ValidationError } from './domain/errors.ts'
import type { Deps } from './features/kernel/deps.ts'
import { name, parse } from './features/kernel/parse.ts'
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
import type { OnAnswer } from './http/mount.ts'
import { jwtSettings, limitsOption, limitsSetting, portSetting, textSetting } from './http/settings.ts'
import { defaultUser } from './mcp/default-user.ts'
import { httpMetrics, newRegistry, type ServerRegistry } from './metrics/http.ts'
import { openDeps } from './open/open.ts'
import type { OpenOptions } from './open/options.ts'
import { throughlineOn } from './throughline.ts'
import { packageVersion } from './version.ts'

/** What to serve, where, and to whom. All that `open()` takes goes here too. */
export interface ServeOptions extends Omit<OpenOptions, 'token' | 'metrics'> {
  /** 0 takes a free one. @default `THROUGHLINE_PORT`, else 4747 */
  port?: number
  /** Others than this machine reach it only with a key for tokens. @default `THROUGHLINE_HOST`, else 127.0.0.1 */
  host?: string
  /** How tokens are checked. @default the settings `THROUGHLINE_JWT_…`, else none: then it serves this machine alone, as tenant `local` */
  jwt?: JwtOptions
  /** How much it takes at once. @default `THROUGHLINE_LIMITS`, else as `Limits` says */
  limits?: Partial<Limits>
  /** How much is logged, on stderr. @default 'info' */
  log?: LogLevel
  /** A registry of prom-client, to be shown at `/metrics`. @default one of its own */
  metrics?: ServerRegistry
  /** Whose sessions MCP works on without a token. @default `THROUGHLINE_USER`, else whoever runs the process */
  user?: string
}

/** A server that runs. */
export interface Server {
  /** Where it is reached. */
  readonly url: string
  /** The same store, without HTTP in between, as the operator. */
  readonly tl: Throughline
  /** Whether it asks for tokens. */
  readonly secured: boolean
  /** Finishes what it accepted, refuses the rest, ends every stream, and lets go of the store. */
  close(): Promise<void>
}

const serveOptions = z.object({
  port: z.int().min(0).max(65535).optional(),
  host: z.string().min(1).optional(),
  limits: limitsOption.default({}),
  log: z.enum(LOG_LEVELS).default('info'),
  user: z.optional(name()),
})

/** Serves a store over HTTP: opens it, listens, and gives the running server. */
export async function serve(target: string | ServeOptions = {}): Promise<Server> {
  return await serveWith(typeof target === 'string' ? { url: target } : target)
}

/** The same, with a look at every answer before it is sent. */
export async function serveWith(given: ServeOptions, onAnswer?: OnAnswer): Promise<Server> {
  const { port, host, limits, log, jwt, user, metrics = newRegistry(), ...opening } = given
  const options = parse(serveOptions, { port, host, limits, log, user })
  const address = {
    port: options.port ?? portSetting('THROUGHLINE_PORT') ?? 4747,
    host: options.host ?? textSetting('THROUGHLINE_HOST') ?? '127.0.0.1',
  }
  const tokens = jwt ?? jwtSettings()
  if (tokens === undefined && !isLoopback(address.host)) throw new ValidationError('host', NEEDS_KEY)
  const output = serverLog(options.log)
  if (isShort(tokens?.secret)) output.warn('the secret for tokens has fewer than 32 bytes, and could be guessed')
  const { deps, close } = await openDeps({ ...opening, metrics })
  const stopping = new AbortController()
  const all = { ...DEFAULT_LIMITS, ...limitsSetting(), ...options.limits } as Limits
  const counted = httpMetrics(metrics)
  const admission = new Admission(all, counted.streams)
  let app: App | undefined
  let listening: Listening
  try {
    const authenticator = await authenticatorFor(deps, tokens)
    app = await appOn({
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
      ...(onAnswer !== undefined && { onAnswer }),
    })
    listening = await listen(app, address)
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

/** MCP is loaded when the first message of it comes. */
function mcpFront(user: string | undefined): McpFront {
  return {
    async answer({ deps, userId, ...incoming }) {
      const { handleMcpRequest } = await import('./mcp/http.ts')
      // what is observed in one request goes with no other
      const tl = throughlineOn({ ...deps, staging: new Staging() }, async () => {})
      return await handleMcpRequest(tl, userId, incoming)
    },
    ...(user !== undefined && { defaultUser: user }),
  }
}

/** Whether a secret is shorter than what HS256 makes of it. */
function isShort(secret: string | undefined): boolean {
  return secret !== undefined && Buffer.byteLength(secret) < 32
}

const NEEDS_KEY =
  'must be 127.0.0.1, ::1 or localhost, unless tokens are checked: set THROUGHLINE_JWT_SECRET, THROUGHLINE_JWKS_URL or THROUGHLINE_JWT_PUBLIC_KEY'

/** Nobody who may pass over the walls between tenants serves them. */
async function authenticatorFor(deps: Deps, tokens: JwtOptions | undefined): Promise<Authenticator> {
  if (tokens === undefined) return loopbackAuthenticator(deps)
  const { details } = await deps.store.health()
  const { rights = 'restricted' } = details
  if (rights === 'restricted') return tokenAuthenticator(deps, tokens)
  throw new StorageError(
    deps.store.name,
    `the role '${details['role']}' (${rights}) passes over row level security, the second wall between tenants; serve with a role that does not (docs/stores.md says how)`,
  )
}
