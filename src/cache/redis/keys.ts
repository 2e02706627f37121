/** Keys of one session, in the order of the scripts' KEYS. */
export type Keys = readonly [value: string, version: string, lease: string, tombstone: string]

/**
 * Other programs know the key of the value. It is the hash tag of the other keys, so Redis Cluster keeps all four on
 * one node and a script may use them together.
 */
export function keysOf(sessionId: string): Keys {
  const value = `session:${sessionId}:meta`
  return [value, `{${value}}:version`, `{${value}}:lease`, `{${value}}:tombstone`]
}

/** Patterns for `SCAN`. They may match foreign keys, which {@link sessionOfKey} excludes. */
export const VALUES = 'session:*:meta'
export const LEASES = '{session:*:meta}:lease'

/** Session of a value or lease key; `undefined`: a foreign key. */
export function sessionOfKey(key: string): string | undefined {
  const [, bare, tagged] = /^(?:session:([^:{}]+):meta|\{session:([^:{}]+):meta\}:lease)$/.exec(key) ?? []
  return bare ?? tagged
}
