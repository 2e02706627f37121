import { freePort } from './postgres.ts'
import { type RedisServer, startRedis } from './redis.ts'

/** Three nodes without replicas, each with a third of the slots. */
export interface RedisCluster {
  /** `redis+cluster://` with every node in it. */
  url: string
  nodes: readonly RedisServer[]
  stop(): Promise<void>
}

const NODES = 3
const SLOTS = 16_384
/** Offset of a node's cluster bus port, which is fixed before Redis 7. */
const BUS = 10_000

export async function startRedisCluster(): Promise<RedisCluster> {
  const nodes: RedisServer[] = []
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())))
  try {
    while (nodes.length < NODES) nodes.push(await startNode())
    const [first] = nodes
    for (const [n, node] of nodes.entries()) {
      const from = Math.floor((n * SLOTS) / NODES)
      const to = Math.floor(((n + 1) * SLOTS) / NODES)
      await node.command('CLUSTER', 'ADDSLOTS', ...Array.from({ length: to - from }, (_, i) => `${from + i}`))
      if (node !== first) await node.command('CLUSTER', 'MEET', '127.0.0.1', `${first?.port}`)
    }
    for (const node of nodes) {
      while (!(await isWhole(node))) await new Promise((resolve) => setTimeout(resolve, 50))
    }
  } catch (error) {
    await stop()
    throw error
  }
  return { url: `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`, nodes, stop }
}

/** Tries other ports if the port or its cluster bus port was taken meanwhile. */
async function startNode(attempts = 5): Promise<RedisServer> {
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '3000']
  try {
    return await startRedis(settings, await portWithBus())
  } catch (error) {
    if (attempts === 1) throw error
    return await startNode(attempts - 1)
  }
}

async function portWithBus(): Promise<number> {
  for (;;) {
    const port = await freePort()
    if (port + BUS <= 65_535) return port
  }
}

/** Whether a node sees all others, and every slot is served. */
async function isWhole(node: RedisServer): Promise<boolean> {
  const info = String(await node.command('CLUSTER', 'INFO'))
  return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${NODES}`)
}
