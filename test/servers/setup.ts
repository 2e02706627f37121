import type { TestProject } from 'vitest/node'
import { postgresPrograms, startPostgres } from './postgres.ts'
import { requirePrograms } from './program.ts'
import { startRedis } from './redis.ts'
import { startRedisCluster } from './redis-cluster.ts'
import { createTemplate, dropTemplate, type Template } from './template-database.ts'
import { endInterruptedRuns } from './test-run.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Servers for the tests, each as its superuser sees it. */
    postgres: { name: string; url: string }[]
    /** The template database of each of them. */
    templates: Template[]
    /**
     * A Redis that all test files share: use new session ids. A test that flushes, fills or pauses one starts its
     * own.
     */
    redis: { url: string }
    /** The same, with three nodes. */
    redisCluster: { url: string }
  }
}

/**
 * Starts the servers that all tests share, and stops them afterwards. `DATABASE_URL` and `REDIS_URL` replace them
 * where set.
 */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['DATABASE_URL']
  const givenRedis = process.env['REDIS_URL']
  await endInterruptedRuns()
  requirePrograms(['redis', 'chromium', 'pgbouncer'])
  const stops: (() => Promise<void>)[] = []
  const stop = async () => void (await Promise.all(stops.map((one) => one())))
  async function started<T extends { stop(): Promise<void> }>(starting: Promise<T>): Promise<T> {
    const server = await starting
    stops.push(server.stop)
    return server
  }
  async function prepared({ name, url }: { name: string; url: string }) {
    const template = await createTemplate(url)
    if (given !== undefined) stops.push(() => dropTemplate(template))
    return { name, url, template }
  }
  const postgres =
    given === undefined
      ? postgresPrograms().map(async (program) => await prepared(await started(startPostgres(program))))
      : [prepared({ name: 'postgres', url: given })]
  const redis = givenRedis === undefined ? started(startRedis()) : Promise.resolve({ url: givenRedis })
  const cluster = started(startRedisCluster())
  // if one cannot start, the others must not be left running
  const outcomes = await Promise.allSettled([...postgres, redis, cluster])
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) {
    await stop()
    throw failed.reason
  }
  const found = await Promise.all(postgres)
  project.provide(
    'postgres',
    found.map(({ name, url }) => ({ name, url })),
  )
  project.provide(
    'templates',
    found.map(({ template }) => template),
  )
  project.provide('redis', { url: (await redis).url })
  project.provide('redisCluster', { url: (await cluster).url })
  return stop
}
