import { describe, expect, it } from 'vitest'
import { checkCacheHealth as cacheCheck } from './cache.ts'
import { formatBytes, formatDuration } from './check.ts'
import { checkClock } from './clock.ts'
import { checkDisk, type Disk } from './disk.ts'
import { checkNode } from './node-version.ts'
import { checkStoreHealth } from './store.ts'

describe('the clock', () => {
  const now = Date.parse('2026-11-16T12:00:00Z')
  const check = (ahead: number, more = {}) =>
    checkClock(now, { name: 'the database', time: now - ahead, before: now, after: now, ...more })

  it.each([
    [0, 'ok'],
    [1900, 'ok'],
    [-2100, 'warn'],
    [59_000, 'warn'],
    [-61_000, 'fail'],
  ])('that is %i ms ahead is %s', (ahead, status) => {
    expect(check(ahead).status).toBe(status)
  })

  it('prints the difference and its direction', () => {
    expect(check(5000).found).toBe('2026-11-16T12:00:00.000Z, 5.0 s ahead of the database')
    expect(check(-90_000).found).toContain('90.0 s behind the database')
  })

  it('subtracts the round trip and the resolution of the other clock', () => {
    expect(check(3000, { before: now - 2000, after: now + 2000 }).status).toBe('ok')
    expect(check(2400, { resolution: 1000 }).status).toBe('ok')
    expect(check(2600, { resolution: 1000 }).status).toBe('warn')
  })

  it('fails in an impossible year, and only warns about the clock of a disk', () => {
    expect(checkClock(Date.parse('1970-01-02T00:00:00Z')).status).toBe('fail')
    expect(checkClock(now)).toEqual({ name: 'clock', status: 'ok', found: '2026-11-16T12:00:00.000Z' })
    expect(check(3_600_000, { isHint: true }).status).toBe('warn')
  })
})

describe('the disk', () => {
  const GIB = 2 ** 30
  const check = (disk: Partial<Disk>) =>
    checkDisk('s.db', { free: 9 * GIB, type: 0xef53, database: 0, wal: 0, ...disk })

  it.each<[Partial<Disk>, string, string]>([
    [{}, 'ok', '9.0 GiB free'],
    [{ database: 4096, wal: 1536 * 1024 }, 'ok', 'database 4.0 KiB, write-ahead log 1.5 MiB'],
    [{ free: GIB / 2 }, 'warn', '512.0 MiB free'],
    [{ free: 1024 }, 'fail', '1.0 KiB free'],
    [{ database: GIB, wal: GIB }, 'warn', 'write-ahead log 1.0 GiB'],
  ])('with %j is %s', (disk, status, found) => {
    expect(check(disk)).toMatchObject({ status, found: expect.stringContaining(found) })
  })

  // only Linux tells the type of a file system
  if (process.platform === 'linux')
    it('on a network file system is a warning', () => {
      expect(check({ type: 0x6969 })).toMatchObject({ status: 'warn', found: '9.0 GiB free; on NFS' })
      expect(check({ type: 0xff534d42 }).found).toContain('CIFS')
    })
})

describe('Node', () => {
  it.each([
    ['22.11.9', 'fail'],
    ['22.12.0', 'ok'],
    ['24.0.0', 'ok'],
    ['9.99.0', 'fail'],
  ])('%s is %s', (version, status) => {
    expect(checkNode(version).status).toBe(status)
  })
})

describe('the cache', () => {
  const check = (details: Record<string, string | number>, ok = true) => cacheCheck({ name: 'redis', ok, details })
  const well = { redis: '7.2.4', policy: 'allkeys-lru', memoryBytes: 2048 }

  it.each([
    [well, 'ok'],
    [{ ...well, policy: 'noeviction' }, 'ok'],
    [{ ...well, policy: 'noeviction', memoryLimitBytes: 4096 }, 'warn'],
    [{ ...well, memoryLimitBytes: 4096 }, 'ok'],
    [{ ...well, redis: '7.0.1 and 5.0.9' }, 'fail'],
    [{}, 'ok'],
  ])('that says %j is %s', (details, status) => {
    expect(check(details).status).toBe(status)
  })

  it.each([
    ['connect ECONNREFUSED 127.0.0.1:1', 'warn', 'redis-cli'],
    ['no answer within 1000 ms', 'warn', 'redis-cli'],
    ['getaddrinfo ENOTFOUND redis', 'fail', 'redis-cli'],
    ['NOAUTH Authentication required.', 'fail', 'user and password'],
    ["NOPERM this user has no permissions to run the 'evalsha' command", 'fail', 'run scripts'],
    ["READONLY You can't write against a read only replica.", 'fail', 'primary'],
    ['Unknown RESP type 72 "H". Please report this.', 'fail', 'does not speak the Redis protocol'],
  ])('that says %s is a %s', (problem, status, advice) => {
    const found = expect.stringContaining('works without it')
    expect(check({ problem }, false)).toMatchObject({ status, found, advice: expect.stringContaining(advice) })
  })
})

it('warns about a slow store', () => {
  expect(checkStoreHealth('sqlite', { journal: 'wal', file: 'a.db' }, 12.34)).toEqual({
    name: 'store',
    status: 'ok',
    found: 'sqlite: journal wal, file a.db, answers in 12 ms',
  })
  expect(checkStoreHealth('postgres', {}, 2500)).toMatchObject({ status: 'warn', found: 'postgres: answers in 2.5 s' })
})

it('formats sizes and durations', () => {
  expect([0, 1023, 1024, 1.5 * 2 ** 40].map(formatBytes)).toEqual(['0 B', '1023 B', '1.0 KiB', '1.5 TiB'])
  expect([0.04, 9.96, 250, 61_000].map(formatDuration)).toEqual(['0.0 ms', '10.0 ms', '250 ms', '61.0 s'])
})
