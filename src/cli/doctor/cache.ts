import type { CacheHealth } from '../../api.ts'
import { redisCache } from '../../cache/redis/index.ts'
import { type Check, errorMessage, formatBytes } from './check.ts'
import { isOlderVersion } from './node-version.ts'

/** What stays as it is until somebody changes the settings: others may pass by themselves. */
const LASTING = /WRONGPASS|NOAUTH|NOPERM|READONLY|ENOTFOUND|CERT|SELF_SIGNED|wrong version number|RESP/i

const WITHOUT = 'all goes on without it, and envelopes are read from the store'

/** Whether the cache in front of a Postgres store answers. `url` may hold a password. */
export async function checkCache(url: string): Promise<Check> {
  if (url === '') return { name: 'cache', status: 'ok', found: 'none: envelopes are read from the store' }
  try {
    const cache = await redisCache({ url, ttlSeconds: 1, events: { count() {} } })
    try {
      return checkCacheHealth(await cache.health())
    } finally {
      await cache.close()
    }
  } catch (error) {
    const advice = 'correct --cache-url or THROUGHLINE_CACHE_URL'
    return { name: 'cache', status: 'fail', found: errorMessage(error), advice }
  }
}

/** What the health of a cache means. */
export function checkCacheHealth({ name, ok, details }: CacheHealth): Check {
  if (!ok) return describeFailure(name, String(details['problem'] ?? 'it does not answer'))
  const { redis, policy, memoryBytes, memoryLimitBytes, nodes } = details
  // those who see less than the whole store are told no more
  if (redis === undefined) return { name: 'cache', status: 'ok', found: `${name}: answers` }
  const used = typeof memoryBytes === 'number' ? formatBytes(memoryBytes) : '?'
  const limit = typeof memoryLimitBytes === 'number' ? ` of ${formatBytes(memoryLimitBytes)}` : ', no limit'
  const many = nodes === undefined ? '' : `, ${nodes} nodes`
  const found = `${name} ${redis}: answers, memory ${used}${limit}, policy ${policy}${many}`
  if (
    String(redis)
      .split(' and ')
      .some((version) => isOlderVersion(version, '6.0'))
  ) {
    return { name: 'cache', status: 'fail', found, advice: 'install Redis 6 or newer' }
  }
  if (memoryLimitBytes !== undefined && String(policy).includes('noeviction')) {
    const advice =
      'once it is full it takes nothing new; any policy that evicts is safe: redis-cli -u "$THROUGHLINE_CACHE_URL" config set maxmemory-policy allkeys-lru'
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
    return 'correct user and password: THROUGHLINE_CACHE_URL=redis://user:password@host:port'
  }
  if (/NOPERM/.test(problem)) return 'let its user run scripts, and read and write keys session:* and {session:*'
  if (/READONLY/.test(problem)) return 'name the master, not a replica, which takes no writes'
  if (/RESP|wrong version number/.test(problem)) {
    return 'correct host, port and scheme (rediss:// for TLS): what answers there does not speak as Redis does'
  }
  return 'bring it back: redis-cli -u "$THROUGHLINE_CACHE_URL" ping; processes come back to it by themselves'
}
