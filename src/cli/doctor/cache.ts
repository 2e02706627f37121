import type { CacheHealth } from '../../api.ts'
import { redisCache } from '../../cache/redis/index.ts'
import { type Check, errorMessage, fail, formatBytes, ok, warn } from './check.ts'
import { isOlderVersion } from './node-version.ts'

/** Error codes and driver texts of failures that last until someone changes the settings. */
const LASTING = /WRONGPASS|NOAUTH|NOPERM|READONLY|ENOTFOUND|CERT|SELF_SIGNED|wrong version number|RESP/i

const WITHOUT = 'Throughline works without it and reads envelopes from the store'

/** Connects to the cache of a Postgres store. `url` may hold a password. */
export async function checkCache(url: string): Promise<Check> {
  if (url === '') return ok('cache', 'none configured: envelopes are read from the store')
  try {
    const cache = await redisCache({ url, ttlSeconds: 1, events: { count() {} } })
    try {
      return checkCacheHealth(await cache.health())
    } finally {
      await cache.close()
    }
  } catch (error) {
    return fail('cache', errorMessage(error), 'fix --cache-url or THROUGHLINE_CACHE_URL')
  }
}

/** Judges the health that a cache reports. */
export function checkCacheHealth({ name, ok: isOk, details }: CacheHealth): Check {
  if (!isOk) return describeFailure(name, String(details['problem'] ?? 'no answer'))
  const { redis, policy, memoryBytes, memoryLimitBytes, nodes } = details
  // details are for operators only
  if (redis === undefined) return ok('cache', `${name}: answers`)
  const used = typeof memoryBytes === 'number' ? formatBytes(memoryBytes) : '?'
  const limit = typeof memoryLimitBytes === 'number' ? ` of ${formatBytes(memoryLimitBytes)}` : ', no limit'
  const many = nodes === undefined ? '' : `, ${nodes} nodes`
  const found = `${name} ${redis}: answers, memory ${used}${limit}, policy ${policy}${many}`
  const versions = String(redis).split(' and ')
  if (versions.some((version) => isOlderVersion(version, '6.0'))) {
    return fail('cache', found, 'install Redis 6 or newer')
  }
  if (memoryLimitBytes !== undefined && String(policy).includes('noeviction')) {
    const advice =
      'set a policy that evicts, or a full cache accepts nothing new: redis-cli -u "$THROUGHLINE_CACHE_URL" config set maxmemory-policy allkeys-lru'
    return warn('cache', found, advice)
  }
  return ok('cache', found)
}

function describeFailure(name: string, problem: string): Check {
  return (LASTING.test(problem) ? fail : warn)('cache', `${name}: ${problem}; ${WITHOUT}`, adviceFor(problem))
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
