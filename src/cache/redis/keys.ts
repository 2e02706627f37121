/** Keys of one session, in the order in which the scripts take them. */
export type Keys = readonly [value: string, version: string, lease: string, tombstone: string]

/**
 * The value's key is what other programs know it by. The whole of it is the hash tag of its companions, so that Redis Cluster keeps
 * all four on one node, and a script may touch them together.
 */
export function keysOf(sessionId: string): Keys {
  const value = `session:${sessionId}:meta`
  return [value, `{${value}}:version`, `{${value}}:lease`, `{${value}}:tombstone`]
}

/** Globs for `SCAN`; what they find may still belong to others: {@link sessionOfKey} tells. */
export const VALUES = 'session:*:meta'
export const LEASES = '{session:*:meta}:lease'

/** Session of a value's or a lease's key; `undefined`: not one of ours. */
export function sessionOfKey(key: string): string | undefined {
  const [, bare, tagged] = /^(?:session:([^:{}]+):meta|\{session:([^:{}]+):meta\}:lease)$/.exec(key) ?? []
  return bare ?? tagged
}
