import type { TestProject } from 'vitest/node'
import { type PostgresServer, postgresPrograms, startPostgres } from './postgres.ts'
import { startRedis } from './redis.ts'
import { startRedisCluster } from './redis-cluster.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Servers for the tests, each as its superuser sees it. */
    postgres: { name: string; url: string }[]
    /** A Redis that all test files share: use new session ids, and flush, fill or pause one of your own instead. */
    redis: { url: string }
    /** The same, with three nodes. */
    redisCluster: { url: string }
  }
}

/**
 * Starts what the tests need once for all of them, and stops it afterwards. `DATABASE_URL` and `REDIS_URL` are used
 * instead where set.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL']
  const givenRedis = process.env['REDIS_URL']
  const [servers, redis, cluster] = await Promise.all([
    given === undefined ? Promise.all(postgresPrograms().map((p) => startPostgres(p))) : ([] as PostgresServer[]),
    givenRedis === undefined ? startRedis() : undefined,
    startRedisCluster(),
  ])
  const found =
    given === undefined ? servers.map(({ name, url }) => ({ name, url })) : [{ name: 'postgres', url: given }]
  project.provide('postgres', found)
  project.provide('redis', { url: redis?.url ?? givenRedis ?? '' })
  project.provide('redisCluster', { url: cluster.url })
  return async () => {
    await Promise.all([...servers, ...(redis ? [redis] : []), cluster].map((server) => server.stop()))
  }
}
