import { afterEach, expect, it } from 'vitest'
import { startFaultyNetwork } from '../../../test/servers/faulty-network.ts'
import { type RedisServer, startRedis } from '../../../test/servers/redis.ts'
import { startRedisCluster } from '../../../test/servers/redis-cluster.ts'
import { entry, fill, leaseOf, waitFor, writeUntilSkipped } from '../conformance/server.ts'
import { type RedisCacheOptions, redisCache } from './index.ts'

const left: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const clean of left.splice(0).reverse()) await clean()
})

async function started(settings?: readonly string[]): Promise<RedisServer> {
  const server = await startRedis(settings)
  left.push(() => server.stop())
  return server
}

async function opened(url: string, options: Partial<RedisCacheOptions> = {}) {
  const counted: string[] = []
  const count = (operation: string, result: string) => void counted.push(`${operation} ${result}`)
  const bounds = { ttlSeconds: 900, commandTimeoutMs: 5000, pauseMs: 50, ...options }
  const cache = { ...(await redisCache({ url, events: { count }, ...bounds })), counted }
  left.push(() => cache.close())
  return cache
}

const hasLease = (answer: object) => 'lease' in answer

it('counts a full server as an error, serves existing values, and leaves no old ones', async () => {
  const server = await started()
  const cache = await opened(server.url)
  await fill(cache, 's1', entry(1))
  await fill(cache, 's2', entry(1))
  const lease = leaseOf(await cache.get('s3'))
  await cache.get('s4')
  const before = cache.counted.length
  await server.command('CONFIG', 'SET', 'maxmemory', '1')
  expect(await cache.get('s1')).toEqual({ value: entry(1).value })
  await cache.wrote('s1', entry(2))
  await cache.fill('s2', entry(2), undefined)
  expect(await cache.fill('s3', entry(1), lease)).toBe(false)
  expect(await cache.get('s5')).toEqual({})
  const results = ['get hit', 'write error', 'fill error', 'fill error', 'get error']
  expect(cache.counted.slice(before)).toEqual(results)
  await cache.fill('s4', entry(1), undefined)
  await server.command('CONFIG', 'SET', 'maxmemory', '0')
  // it always responded, so it is asked again immediately
  for (const id of ['s1', 's2', 's3', 's4', 's5']) leaseOf(await cache.get(id))
})

it('purges on a full server', async () => {
  const server = await started()
  const cache = await opened(server.url)
  await fill(cache, 's1', entry(1))
  await server.command('CONFIG', 'SET', 'maxmemory', '1')
  await cache.purged('s1')
  expect(await server.command('KEYS', '*')).toEqual(['{session:s1:meta}:tombstone'])
  expect(cache.counted.at(-1)).toBe('purge purged')
})

it('opens while the server is down and connects when it comes up', async () => {
  const server = await started()
  await server.crash()
  const cache = await opened(server.url)
  expect(await cache.get('s1')).toEqual({})
  await cache.wrote('s1', entry(1))
  await expect(cache.clear()).rejects.toMatchObject({ code: 'STORAGE' })
  await expect(cache.scan()[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'STORAGE' })
  await server.start()
  await waitFor(() => cache.get('s1'), hasLease)
})

it('is empty after a crash and works with the restarted server', async () => {
  const server = await started()
  const cache = await opened(server.url)
  await fill(cache, 's1', entry(1))
  await server.crash()
  for (let n = 0; n < 10; n++) expect(await cache.get('s1')).toEqual({})
  await server.start()
  const answer = await waitFor(() => cache.get('s1'), hasLease)
  expect(await cache.fill('s1', entry(2), leaseOf(answer))).toBe(true)
})

it('replaces a silent connection', async () => {
  const server = await started()
  const network = await startFaultyNetwork(server.port)
  left.push(() => network.stop())
  const cache = await opened(`redis://127.0.0.1:${network.port}`, { commandTimeoutMs: 100 })
  await waitFor(() => cache.get('s1'), hasLease)
  network.hang('established')
  await waitFor(
    () => cache.get('s2'),
    () => cache.counted.at(-1) === 'get skipped',
  )
  await waitFor(() => cache.get('s3'), hasLease)
})

it('repairs as soon as the server responds, long before the next attempt is due', async () => {
  const server = await started()
  const [other, writer] = [await opened(server.url), await opened(server.url, { commandTimeoutMs: 250, pauseMs: 1e6 })]
  await fill(other, 's1', entry(1))
  server.pause()
  try {
    await writeUntilSkipped(writer)
    await writer.wrote('s1', entry(2))
  } finally {
    server.resume()
  }
  await waitFor(
    () => other.get('s1'),
    ({ value }) => value === undefined,
  )

  // and as soon as it reconnects
  await server.crash()
  await writeUntilSkipped(writer)
  await server.start()
  await waitFor(
    () => writer.wrote('s2', entry(2)),
    () => writer.counted.at(-1) === 'write written',
  )
})

it('keeps serving values of the healthy nodes of a cluster', async () => {
  const cluster = await startRedisCluster()
  left.push(() => cluster.stop())
  const cache = await opened(cluster.url, { commandTimeoutMs: 1000 })
  const ids = Array.from({ length: 30 }, (_, n) => `s${n}`)
  for (const id of ids) await fill(cache, id, entry(1))
  const [sick] = cluster.nodes
  if (sick === undefined) throw new Error('no nodes')
  const keys = (await sick.command('KEYS', 'session:*:meta')) as string[]
  const onSick = new Set(keys.map((key) => key.split(':')[1] ?? ''))
  expect(onSick.size).toBeGreaterThan(0)
  expect(onSick.size).toBeLessThan(ids.length)
  const [one = ''] = onSick
  sick.pause()
  try {
    await cache.wrote(one, entry(2))
    for (const id of ids.filter((each) => !onSick.has(each))) {
      expect((await cache.get(id)).value, id).toBe(entry(1).value)
    }
    expect(await cache.get(one)).toEqual({})
  } finally {
    sick.resume()
  }
  const answer = await waitFor(
    () => cache.get(one),
    () => cache.counted.at(-1) !== 'get skipped' && cache.counted.at(-1) !== 'get error',
  )
  expect(answer.value).not.toBe(entry(1).value)
  await sick.crash()
  await expect(cache.clear()).rejects.toMatchObject({ code: 'STORAGE' })
  await sick.start()
  await waitFor(() => cache.get(one), hasLease)
})

it('rejects an invalid URL', async () => {
  await expect(redisCache({ url: 'redis://a,b', ttlSeconds: 1, events: { count() {} } })).rejects.toMatchObject({
    code: 'VALIDATION',
  })
})
