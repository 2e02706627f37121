import { inject } from 'vitest'
import type { Route } from '../../src/http/route.ts'
import { open, type Throughline } from '../../src/index.ts'
import { authorization } from '../http/raw-requests.ts'
import { urlOf } from '../http/send.ts'
import { isProving, printFigure } from '../proof.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { startRedis } from '../servers/redis.ts'
import { temporaryFolder } from '../servers/test-run.ts'
import type { LargeInput } from './large-input.ts'
import { type Cost, type MonitoredServer, startMonitoredServer } from './monitored-server.ts'

const MB = 1024 * 1024
/** The longest piece of work on the event loop, in milliseconds of CPU time. */
const LONGEST_MS = 250
/** How far memory may grow. */
const MOST_BYTES = 256 * MB

/** A bound that is exceeded this many times in a row counts: compilers and collectors run in the same thread. */
const ATTEMPTS = 3

/** A route of the API, or beside it: then its path is that of the server. */
export type MeasuredRoute = Pick<Route, 'method' | 'path' | 'operation' | 'stream'> & { readonly isBesideApi?: true }

/** A database, and a measured server for it. */
export interface MeasuredStore {
  /** The database without the server. */
  readonly tl: Throughline
  /** Of the server. */
  url(): Promise<string>
  /** Sends a request, and says what was wrong with its response or its cost; `undefined` if nothing was. */
  problemWith(route: MeasuredRoute, input: LargeInput): Promise<string | undefined>
  /** How many requests it accepted. */
  accepted(): number
  close(): Promise<void>
}

const STORES = { SQLite: sqliteFile, Postgres: postgresBehindRedis }

export type StoreName = keyof typeof STORES
export const STORE_NAMES = Object.keys(STORES) as StoreName[]

interface TestStore {
  readonly url: string
  /** For servers, which must not be superusers. */
  readonly serving: string
  readonly cache?: string
  remove(): Promise<void>
}

async function sqliteFile(): Promise<TestStore> {
  const { path, remove } = temporaryFolder('throughline-limits-')
  const url = `sqlite:${path}/sessions.db`
  return { url, serving: url, remove: async () => remove() }
}

async function postgresBehindRedis(): Promise<TestStore> {
  const [server] = inject('postgres')
  const databases = await databasesOf(server?.url ?? '')
  const database = await databases.create()
  const redis = await startRedis()
  const remove = async () => {
    await redis.stop()
    await database.destroy()
    await databases.close()
  }
  return { url: database.url(), serving: database.url(SERVING), cache: redis.url, remove }
}

export async function openMeasured(store: StoreName): Promise<MeasuredStore> {
  const { url, serving, cache, remove } = await STORES[store]()
  const tl = await open({ url, index: false, ...(cache !== undefined && { cache }) })
  let server: MonitoredServer | undefined
  let accepted = 0
  const seen: Seen[] = []

  /** Starts it again after it died. */
  async function running(): Promise<MonitoredServer> {
    if (server === undefined || server.hasEnded()) server = await startMonitoredServer(serving, cache, MOST_BYTES)
    return server
  }

  async function attempt(route: MeasuredRoute, input: LargeInput): Promise<string | undefined> {
    const id = await input.prepare?.(tl)
    const body = typeof input.body === 'function' ? input.body(id) : input.body
    const request = { ...input, body, params: { ...(id !== undefined && { id }), ...input.params } }
    try {
      const { measure, url: base } = await running()
      const sending = new AbortController()
      const { result, cost } = await measure(() => sendAll(base, route, request, sending.signal))
      sending.abort()
      if (result.status < 300) accepted++
      if (isProving) printFigure(`${store}, ${route.operation}, ${input.name}: ${textOf(cost)}, ${result.status}`)
      seen.push({ ...cost, what: `${route.operation}, ${input.name}` })
      return problemOf(input, result, cost)
    } catch (error) {
      return `${input.name}: ${(error as Error).message}`
    }
  }

  async function problemWith(route: MeasuredRoute, input: LargeInput): Promise<string | undefined> {
    let problem: string | undefined
    for (let left = ATTEMPTS; left > 0; left--) {
      problem = await attempt(route, input)
      if (problem === undefined) return undefined
    }
    return problem
  }

  async function close(): Promise<void> {
    printLargest(`longest turn of the event loop on ${store}`, seen, ({ longestMs }) => longestMs)
    printLargest(`growth of memory on ${store}`, seen, ({ grownBytes }) => grownBytes)
    await server?.stop()
    await tl.close()
    await remove()
  }

  return { tl, url: async () => (await running()).url, problemWith, accepted: () => accepted, close }
}

/** A cost, and of what. */
interface Seen extends Cost {
  readonly what: string
}

/** Prints the ten largest costs. */
function printLargest(title: string, seen: readonly Seen[], of: (cost: Cost) => number): void {
  const largest = seen.toSorted((a, b) => of(b) - of(a)).slice(0, 10)
  for (const cost of isProving ? largest : []) printFigure(`${title}: ${cost.what}: ${textOf(cost)}`)
}

interface Result {
  status: number
  /** The start of a refusal. */
  refusal: string
}

async function sendAll(base: string, route: MeasuredRoute, input: LargeInput, signal: AbortSignal): Promise<Result> {
  const results = Array.from({ length: input.streams ?? 1 }, () => sendOne(base, route, input, signal))
  return (await Promise.all(results))[0] as Result
}

/** Sends a request and discards its response. Of a stream it reads nothing, unless the input says so. */
async function sendOne(base: string, route: MeasuredRoute, input: LargeInput, signal: AbortSignal): Promise<Result> {
  const query = input.query === undefined ? '' : `?${new URLSearchParams(input.query)}`
  const url = route.isBesideApi ? base + route.path : urlOf(base, route.path, input)
  const response = await fetch(url + query, {
    method: route.method,
    headers: {
      authorization,
      ...input.headers,
      ...(input.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(input.body !== undefined && { body: JSON.stringify(input.body) }),
    signal,
  })
  const { status, ok, body } = response
  if (!ok) return { status, refusal: (await response.text()).slice(0, 300) }
  if (route.operation === 'mcp') return { status, refusal: '', ...refusalByTool(await response.text()) }
  if (!route.stream || input.isRead) await body?.pipeTo(new WritableStream())
  return { status, refusal: '' }
}

/** MCP refuses with status 200. */
function refusalByTool(text: string): Result | undefined {
  const { error, result } = JSON.parse(text) as { error?: object; result?: { isError?: boolean } }
  return error === undefined && result?.isError !== true ? undefined : { status: 400, refusal: text.slice(0, 300) }
}

function problemOf({ name, refused }: LargeInput, { status, refusal }: Result, cost: Cost): string | undefined {
  if (!isExpected(status, refused)) return `${name}: ${status} ${refusal}`
  const isBounded = cost.longestMs <= LONGEST_MS && cost.grownBytes <= MOST_BYTES
  return isBounded ? undefined : `${name}: ${textOf(cost)}`
}

function isExpected(status: number, refused: LargeInput['refused']): boolean {
  if (refused === 'maybe') return status < 500
  return refused === undefined ? status < 300 : status === refused
}

function textOf({ longestMs, spentMs, grownBytes }: Cost): string {
  return `${Math.round(longestMs)} ms at once of ${Math.round(spentMs)} ms, ${Math.round(grownBytes / MB)} MB`
}
