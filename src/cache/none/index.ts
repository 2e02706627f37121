import type { EnvelopeCache } from '../../ports/envelope-cache.ts'

/** The cache that keeps nothing, for stores without Redis: every read is a miss without a lease, and counts for nothing. */
export function noCache(): EnvelopeCache {
  return {
    get: async () => ({}),
    fill: async () => false,
    wrote: async () => {},
    purged: async () => {},
    clear: async () => 0,
    async *scan() {},
    close: async () => {},
  }
}
