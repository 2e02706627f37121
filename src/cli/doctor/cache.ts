import type { CacheHealth } from '../../api.ts'
import { redisCache } from '../../cache/redis/index.ts'
import { type Check, errorMessage, formatBytes } from './check.ts'
import { isOlderVersion } from './node-version.ts'

/** Error codes and driver texts of failures that last until someone changes the settings. */
const LASTING = /WRONGPASS|NOAUTH|NOPERM|READONLY|ENOTFOUND|CERT|SELF_SIGNED|wrong version number|RESP/i

const WITHOUT = 'Throughline works without it and reads envelopes from the store'

/** Connects to the cache of a Postgres store. `url` may hold a password. */
export async function checkCache(url: string): Promise<Check> {
  if (url === '') return { name: 'cache', status: 'ok', found: 'none configured: envelopes are read from the store' }
  try {
    const cache = await redisCache({ url, ttlSeconds: 1, events: { count() {} } })
    try {
      return checkCacheHealth(await cache.health())
    } finally {
      await cache.close()
    }
  } catch (error) {
    const advice = 'fix --cache-url or THROUGHLINE_CACHE_URL'
    return { name: 'cache', status: 'fail', found: errorMessage(error), advice }
  }
}

/** Judges the health that a cache reports. */
export function checkCacheHealth({ name, ok, details }: CacheHealth): Check {
  if (!ok) return describeFailure(name, String(details['problem'] ?? 'no answer'))
  const { redis, policy, memoryBytes, memoryLimitBytes, nodes } = details
  // details are for operators only
  if (redis === undefined) return { name: 'cache', status: 'ok', found: `${name}: answers` }
  const used = typeof memoryBytes === 'number' ? formatBytes(memoryBytes) : '?'
  const limit = typeof memoryLimitBytes === 'number' ? ` of ${formatBytes(memoryLimitBytes)}` : ', no limit'
  const many = nodes === undefined ? '' : `, ${nodes} nodes`
  const found = `${name} ${redis}: answers, memory ${used}${limit}, policy ${policy}${many}`
  const versions = String(redis).split(' and ')
  if (versions.some((version) => isOlderVersion(version, '6.0'))) {
    return { name: 'cache', status: 'fail', found, advice: 'install Redis 6 or newer' }
  }
  if (memoryLimitBytes !== undefined && String(policy).includes('noeviction')) {
    const advice =
      'set a policy that evicts, or a full cache accepts nothing new: redis-cli -u "$THROUGHLINE_CACHE_URL" config set maxmemory-policy allkeys-lru'
    return { name: 'cache', status: 'warn', found, advice }
  }
  return { name: 'cache', status: 'ok', found }
}

function describeFailure(name: string, problem: string): Check {
  const found = `${name}: ${problem}; ${WITHOUT}`
  return { name: 'cache', status: LASTING.test(problem) ? 'fail' : 'warn', found, advice: adviceFor(problem) }
}

function adviceFor(problem: string): string {
  if (/WRONGPASS|NOAUTH/.test(problem)) {
    return 'fix user and password: THROUGHLINE_CACHE_URL=redis://user:password@host:port'
  }
  if (/NOPERM/.test(problem))
    return 'allow its user to run scripts and to read and write the keys session:* and {session:*'
  if (/READONLY/.test(problem)) return 'use the primary: replicas accept no writes'
  if (/RESP|wrong version number/.test(problem)) {
    return 'fix host, port and scheme (rediss:// for TLS): the server there does not speak the Redis protocol'
  }
  return 'restore the connection: redis-cli -u "$THROUGHLINE_CACHE_URL" ping; processes reconnect by themselves'
}
