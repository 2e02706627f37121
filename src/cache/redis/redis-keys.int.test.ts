import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, it, onTestFinished } from 'vitest'
import { type RedisServer, startRedis } from '../../../test/servers/redis.ts'
import type { EnvelopeCache } from '../../ports/envelope-cache.ts'
import { entry, fill, leaseOf, waitFor } from '../conformance/server.ts'
import { parseAddress } from './address.ts'
import { connect } from './connect.ts'
import { redisCache } from './index.ts'
import { keysOf } from './keys.ts'

const VALUE = 'session:s1:meta'
const VERSION = '{session:s1:meta}:version'
const LEASE = '{session:s1:meta}:lease'
const TOMBSTONE = '{session:s1:meta}:tombstone'

let counted: string[]
const open = (url: string) => {
  counted = []
  const count = (operation: string, result: string) => void counted.push(`${operation} ${result}`)
  return redisCache({ url, ttlSeconds: 900, commandTimeoutMs: 5000, leaseMs: 60_000, events: { count } })
}

describe('on one server', () => {
  let server: RedisServer
  let cache: EnvelopeCache
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server.stop())
  beforeEach(async () => {
    await server.command('FLUSHALL')
    cache = await open(server.url)
  })
  afterEach(() => cache.close())

  const redis = (name: string, ...args: string[]) => server.command(name, ...args)

  it('stores plain JSON under the documented key for the time to live', async () => {
    await fill(cache, 's1', entry(7))
    expect(await redis('GET', VALUE)).toBe(entry(7).value)
    expect(await redis('STRLEN', VALUE)).toBe(Buffer.byteLength(entry(7).value))
    const left = (await Promise.all([VALUE, VERSION].map((key) => redis('PEXPIRETIME', key)))) as number[]
    // Redis may set the two in different milliseconds
    expect(Math.abs(Number(left[0]) - Number(left[1]))).toBeLessThan(1000)
    expect(await redis('TTL', VALUE)).toBeGreaterThan(800)
    expect(await redis('TTL', VALUE)).toBeLessThanOrEqual(900)
    expect(await redis('DBSIZE')).toBe(2)
  })

  it('lets every companion key expire', async () => {
    await cache.get('s1')
    await cache.fill('s1', entry(3), undefined)
    expect(await redis('PTTL', LEASE)).toBeGreaterThan(0)
    await cache.purged('s1')
    expect(await redis('PTTL', TOMBSTONE)).toBeGreaterThan(0)
    expect(await redis('DBSIZE')).toBe(1)
  })

  it.each([VALUE, VERSION])('misses and removes the rest if only %s was evicted', async (evicted) => {
    await fill(cache, 's1', entry(5))
    await redis('DEL', evicted)
    const lease = leaseOf(await cache.get('s1'))
    expect(await redis('EXISTS', VALUE, VERSION)).toBe(0)
    expect(await cache.fill('s1', entry(5), lease)).toBe(true)
  })

  it.each([VALUE, VERSION])('a late write stores nothing if only %s was evicted', async (evicted) => {
    await fill(cache, 's1', entry(5))
    await redis('DEL', evicted)
    // the value may be the newer one, but its version is lost
    await cache.wrote('s1', entry(4))
    expect(await redis('DBSIZE')).toBe(0)
    await fill(cache, 's1', entry(5))
    await redis('DEL', evicted)
    await cache.fill('s1', entry(4), undefined)
    expect(await redis('DBSIZE')).toBe(0)
  })

  it('rejects a fill if the lease was evicted', async () => {
    const lease = leaseOf(await cache.get('s1'))
    await redis('DEL', LEASE)
    expect(await cache.fill('s1', entry(1), lease)).toBe(false)
    expect(await redis('DBSIZE')).toBe(0)
  })

  it('rejects an older fill even if the tombstone was evicted', async () => {
    const lease = leaseOf(await cache.get('s1'))
    await cache.purged('s1')
    await redis('DEL', TOMBSTONE)
    expect(await cache.fill('s1', entry(1), lease)).toBe(false)
    await cache.wrote('s1', entry(2))
    expect(await redis('DBSIZE')).toBe(0)
  })

  it.each([VALUE, VERSION, LEASE])('replaces %s if it is not a string', async (key) => {
    await redis('LPUSH', key, 'x')
    const lease = leaseOf(await cache.get('s1'))
    expect(await cache.fill('s1', entry(1), lease)).toBe(true)
    expect((await cache.get('s1')).value).toBe(entry(1).value)
  })

  it('ignores a foreign value', async () => {
    await redis('SET', VALUE, entry(9).value)
    leaseOf(await cache.get('s1'))
    expect(await redis('EXISTS', VALUE)).toBe(0)
  })

  it('works after the scripts were flushed', async () => {
    await fill(cache, 's1', entry(1))
    await redis('SCRIPT', 'FLUSH')
    await cache.wrote('s1', entry(2))
    await redis('SCRIPT', 'FLUSH')
    expect((await cache.get('s1')).value).toBe(entry(2).value)
    expect(counted).not.toContain('write error')
  })

  it('returns the same lease to a repeated request', async () => {
    const connection = await connect({ url: server.url, connectTimeoutMs: 5000, silenceMs: 5000 })
    onTestFinished(() => connection.close())
    const ask = (token: string) => connection.getOrLease(keysOf('s1'), [token, 60_000])
    expect([await ask('mine'), await ask('mine'), await ask('other')]).toEqual([['leased'], ['leased'], ['miss']])
  })

  it('clears only its own keys and leaves tombstones', async () => {
    await redis('MSET', 'session:x:meta:more', '1', 'my-session:x:meta', '1', 'session:a:b:meta', '1')
    await cache.purged('s2')
    await fill(cache, 's1', entry(1))
    expect(await cache.clear()).toBe(1)
    expect(await redis('DBSIZE')).toBe(4)
    expect(await cache.get('s2')).toEqual({})
  })
})

it('ignores values and leases that a restart restored from disk', async () => {
  const server = await startRedis(['--appendonly', 'yes', '--appendfsync', 'always'])
  onTestFinished(() => server.stop())
  const before = await open(server.url)
  onTestFinished(() => before.close())
  await fill(before, 's1', entry(1))
  await fill(before, 's2', entry(1))
  const lease = leaseOf(await before.get('s3'))
  await server.crash()
  await server.start()
  const after = await open(server.url)
  onTestFinished(() => after.close())
  // as with an old dump or a lagging replica, newer writes may be missing
  expect(await server.command('EXISTS', VALUE, '{session:s3:meta}:lease')).toBe(2)
  leaseOf(await after.get('s1'))
  expect(await after.fill('s3', entry(1), lease)).toBe(false)
  leaseOf(await after.get('s3'))
  // a connection from before the restart ignores them too
  const answer = await waitFor(
    () => before.get('s2'),
    (one) => 'lease' in one || 'value' in one,
  )
  leaseOf(answer)
})

it('keeps all keys of a session in one slot of a cluster', async () => {
  const [seed] = parseAddress(inject('redisCluster').url).nodes
  const node = new Redis({ ...seed, maxRetriesPerRequest: 0 })
  onTestFinished(() => node.disconnect())
  const slots = await Promise.all([VALUE, VERSION, LEASE, TOMBSTONE].map((key) => node.cluster('KEYSLOT', key)))
  expect(new Set(slots).size).toBe(1)
})
