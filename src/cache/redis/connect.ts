import type { Cluster, Redis } from 'ioredis'
import { StorageError } from '../../domain/errors.ts'
import { defined } from '../../domain/optional.ts'
import { type Address, parseAddress } from './address.ts'
import { type FastGet, fastGet } from './fast-get.ts'
import type { Keys } from './keys.ts'
import { GET, type Script } from './scripts.ts'

/** A connection that reconnects in the background. Commands fail immediately while it is down. */
export interface Connection {
  /** Runs a script on the node that has the keys and returns its reply. */
  run(script: Script, keys: Keys, args: readonly (string | number)[]): Promise<string[]>
  /** Runs the script `GET`, or only a fast `MGET` for most hits. */
  getOrLease(keys: Keys, args: readonly (string | number)[]): Promise<string[]>
  /** One connection per master; throws if one of them is unknown. */
  masters(): Redis[]
  get(key: string): Promise<string | null>
  /** The error of the last failed attempt to connect; `undefined` while connected. */
  problem(): string | undefined
  /** Runs the listener after each reconnect. */
  onReady(listener: () => void): void
  close(): void
}

export interface ConnectOptions {
  url: string
  connectTimeoutMs: number
  /** Reconnects if a response takes longer than this. */
  silenceMs: number
}

/** Longest wait before the next attempt to connect, in milliseconds. */
const MAX_RETRY_DELAY = 1000
const retryDelay = (times: number) => Math.min(50 * times, MAX_RETRY_DELAY)

/** Waits only for the first attempt to connect: the server may be down and come up later. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const address = parseAddress(options.url)
  const driver = await loadDriver()
  const client = address.cluster ? clusterOf(driver, address, options) : singleOf(driver, address, options)
  let problem: string | undefined
  // only recorded: commands sent meanwhile report their own failure
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    problem = (error.lastNodeError ?? error).message
  })
  client.on('ready', () => {
    problem = undefined
  })
  // not for a cluster: each node is its own process with its own run id
  const peek: FastGet = client instanceof driver.Cluster ? async () => undefined : fastGet(client)
  await Promise.race([client.connect().catch(() => {}), timeout(options.connectTimeoutMs)])

  async function run(script: Script, keys: Keys, args: readonly (string | number)[]): Promise<string[]> {
    const rest = [...keys, ...args]
    try {
      return (await client.evalsha(script.sha, keys.length, ...rest)) as string[]
    } catch (error) {
      // the server restarted, or its scripts were flushed
      if (!String(error).includes('NOSCRIPT')) throw error
      return (await client.eval(script.lua, keys.length, ...rest)) as string[]
    }
  }

  return {
    run,
    async getOrLease(keys, args) {
      const value = await peek(keys)
      return value === undefined ? await run(GET, keys, args) : ['hit', value]
    },
    masters: () => (client instanceof driver.Cluster ? mastersOf(client) : [client]),
    get: (key) => client.get(key),
    problem: () => problem,
    onReady: (listener) => void client.on('ready', listener),
    close: () => client.disconnect(),
  }
}

type Driver = Pick<typeof import('ioredis'), 'Redis' | 'Cluster'>

function singleOf({ Redis }: Driver, address: Address, options: ConnectOptions): Redis {
  return new Redis({
    ...nodeOptions(address, options),
    ...address.nodes[0],
    db: address.db,
    enableOfflineQueue: false,
    retryStrategy: retryDelay,
    lazyConnect: true,
  })
}

function clusterOf({ Cluster }: Driver, address: Address, options: ConnectOptions): Cluster {
  return new Cluster([...address.nodes], {
    redisOptions: nodeOptions(address, options),
    enableOfflineQueue: false,
    clusterRetryStrategy: retryDelay,
    slotsRefreshTimeout: options.connectTimeoutMs,
    slotsRefreshInterval: 5000,
    scaleReads: 'master',
    lazyConnect: true,
  })
}

function nodeOptions({ tls, username, password }: Address, { connectTimeoutMs, silenceMs }: ConnectOptions) {
  return defined({
    connectTimeout: connectTimeoutMs,
    socketTimeout: silenceMs,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    username,
    password,
    tls: tls ? {} : undefined,
  })
}

function mastersOf(cluster: Cluster): Redis[] {
  const nodes = new Map(cluster.nodes('master').map((node) => [`${node.options.host}:${node.options.port}`, node]))
  const keys = new Set(cluster.slots.map(([first]) => first ?? ''))
  if (keys.size === 0) throw new Error('no node of the cluster is connected')
  return [...keys].map((key) => {
    const node = nodes.get(key)
    // its values still exist and become visible when it is back
    if (node === undefined) throw new Error('a node of the cluster is not connected')
    return node
  })
}

/** The driver is an optional peer dependency. */
async function loadDriver(): Promise<Driver> {
  try {
    return await import('ioredis')
  } catch (cause) {
    throw new StorageError('redis', "the driver 'ioredis' is not installed; run: npm install ioredis", { cause })
  }
}

const timeout = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref()
  })
