import type { Cluster, Redis } from 'ioredis'
import { StorageError } from '../../domain/errors.ts'
import { type Address, parseAddress } from './address.ts'
import { type FastGet, fastGet } from './fast-get.ts'
import type { Keys } from './keys.ts'
import { GET, type Script } from './scripts.ts'

/** A connection that is kept up in the background. Whatever cannot be sent at once fails at once. */
export interface Connection {
  /** Runs a script on the node that has the keys, and gives its reply. */
  run(script: Script, keys: Keys, args: readonly (string | number)[]): Promise<string[]>
  /** The same for the script `GET`, which is not needed for most hits. */
  getOrLease(keys: Keys, args: readonly (string | number)[]): Promise<string[]>
  /** One connection to each node that has values of its own; throws where one of them is not known. */
  masters(): Redis[]
  get(key: string): Promise<string | null>
  /** What went wrong when it last failed to connect; `undefined` while it is connected. */
  problem(): string | undefined
  /** Whenever it is connected again. */
  onReady(listener: () => void): void
  close(): void
}

export interface ConnectOptions {
  url: string
  connectTimeoutMs: number
  /** A connection on which an answer is awaited for so long is given up, and made again. */
  silenceMs: number
}

/** Longest wait before it tries to connect again, in milliseconds. */
const MAX_RETRY_DELAY = 1000
const retryDelay = (times: number) => Math.min(50 * times, MAX_RETRY_DELAY)

/** Waits for the first attempt to connect, and no longer: the server may be down, and come up later. */
export async function connect(options: ConnectOptions): Promise<Connection> {
  const address = parseAddress(options.url)
  const driver = await loadDriver()
  const client = address.cluster ? clusterOf(driver, address, options) : singleOf(driver, address, options)
  let problem: string | undefined
  // each failed attempt is told here; who asks meanwhile is told by the failure of what was asked
  client.on('error', (error: Error & { lastNodeError?: Error }) => {
    problem = (error.lastNodeError ?? error).message
  })
  client.on('ready', () => {
    problem = undefined
  })
  // each node of a cluster is a process of its own, so there it is left to the scripts
  const peek: FastGet = client instanceof driver.Cluster ? async () => undefined : fastGet(client)
  await Promise.race([client.connect().catch(() => {}), timeout(options.connectTimeoutMs)])

  async function run(script: Script, keys: Keys, args: readonly (string | number)[]): Promise<string[]> {
    const rest = [...keys, ...args]
    try {
      return (await client.evalsha(script.sha, keys.length, ...rest)) as string[]
    } catch (error) {
      // the server is new, or its scripts were flushed
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
  return {
    connectTimeout: connectTimeoutMs,
    socketTimeout: silenceMs,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    ...(username !== undefined && { username }),
    ...(password !== undefined && { password }),
    ...(tls && { tls: {} }),
  }
}

function mastersOf(cluster: Cluster): Redis[] {
  const nodes = new Map(cluster.nodes('master').map((node) => [`${node.options.host}:${node.options.port}`, node]))
  const keys = new Set(cluster.slots.map(([first]) => first ?? ''))
  if (keys.size === 0) throw new Error('no node of the cluster is connected')
  return [...keys].map((key) => {
    const node = nodes.get(key)
    // its values are still there, and will be read when it is back
    if (node === undefined) throw new Error('a node of the cluster is not connected')
    return node
  })
}

/** The driver is the caller's to install: who has no Redis does without. */
async function loadDriver(): Promise<Driver> {
  try {
    return await import('ioredis')
  } catch (cause) {
    throw new StorageError('redis', "the driver 'ioredis' is not installed; run npm install ioredis", { cause })
  }
}

const timeout = (ms: number) =>
  new Promise<void>((resolve) => {
    setTimeout(resolve, ms).unref()
  })
