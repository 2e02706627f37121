import { afterAll, beforeAll, describe, it } from 'vitest'
import type { RedisServer } from '../../../test/servers/redis.ts'
import { startRedis } from '../../../test/servers/redis.ts'
import { startRedisCluster } from '../../../test/servers/redis-cluster.ts'
import { describeEnvelopeCache } from '../conformance/index.ts'
import type { CacheServer } from '../conformance/server.ts'
import { redisCache } from './index.ts'

/** Servers of these tests only, since they are flushed and paused. */
let servers: { name: string; url: string; nodes: readonly RedisServer[]; stop(): Promise<void> }[]
beforeAll(async () => {
  const [single, cluster] = await Promise.all([startRedis(), startRedisCluster()])
  servers = [
    { name: 'redis', url: single.url, nodes: [single], stop: single.stop },
    { name: 'redis cluster', ...cluster },
  ]
})
afterAll(async () => {
  for (const server of servers) await server.stop()
})

async function create(name: string): Promise<CacheServer> {
  const server = servers.find((one) => one.name === name)
  if (server === undefined) throw new Error(`no ${name}`)
  const { url, nodes } = server
  const flush = async () => void (await Promise.all(nodes.map((node) => node.command('FLUSHALL'))))
  await flush()
  return {
    async connect(limits) {
      const counted: string[] = []
      const count = (operation: string, result: string) => void counted.push(`${operation} ${result}`)
      // long timeouts, so a busy machine does not cause failures
      const bounds = { ttlSeconds: 900, commandTimeoutMs: 5000, leaseMs: 60_000, pauseMs: 50, ...limits }
      return { ...(await redisCache({ url, events: { count }, ...bounds })), counted }
    },
    flush,
    pause: () => nodes.forEach((node) => void node.pause()),
    resume: () => nodes.forEach((node) => void node.resume()),
    async garble(sessionId, text) {
      // only the node that owns the key accepts it
      const sent = nodes.map((node) => node.command('SET', `session:${sessionId}:meta`, text, 'KEEPTTL'))
      await Promise.any(sent)
    },
    destroy: async () => {},
  }
}

for (const name of ['redis', 'redis cluster']) {
  describeEnvelopeCache({ name, create: () => create(name) }, { describe, it })
}
