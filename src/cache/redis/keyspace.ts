import type { Redis } from 'ioredis'
import { StorageError } from '../../domain/errors.ts'
import type { Connection } from './connect.ts'
import { withDeadline } from './deadline.ts'
import { keysOf, LEASES, sessionOfKey, VALUES } from './keys.ts'
import { REMOVE } from './scripts.ts'

/** Keys per step of a scan. */
const STEP = 1000
/** Timeout of one step in milliseconds; long, since a full scan is not urgent. */
const STEP_LIMIT = 5000

/** Removes all values and leases and returns the number of values; tombstones stay. Throws `STORAGE` on failure. */
export async function clear(connection: Connection): Promise<number> {
  // leases first: a fill after the scan for values would leave a value behind
  await removeMatching(connection, LEASES)
  return await removeMatching(connection, VALUES)
}

async function removeMatching(connection: Connection, pattern: string): Promise<number> {
  let removed = 0
  for await (const ids of scanSessions(connection, pattern)) {
    const work = ids.map((id) => connection.run(REMOVE, keysOf(id), [0]))
    await withDeadline(STEP_LIMIT, Promise.all(work)).catch(fail)
    removed += ids.length
  }
  return removed
}

/** All values, each once. Throws `STORAGE` on failure. */
export async function* scan(connection: Connection): AsyncGenerator<{ sessionId: string; value: string }> {
  for await (const ids of scanSessions(connection, VALUES)) {
    const work = ids.map((id) => connection.get(keysOf(id)[0]))
    const values = await withDeadline(STEP_LIMIT, Promise.all(work)).catch(fail)
    for (const [i, sessionId] of ids.entries()) {
      const value = values[i]
      if (typeof value === 'string') yield { sessionId, value }
    }
  }
}

/** Sessions with matching keys, each once. */
async function* scanSessions(connection: Connection, pattern: string): AsyncGenerator<string[]> {
  // SCAN may return a key twice, and two nodes may have it while a slot moves
  const seen = new Set<string>()
  for (const node of masters(connection)) {
    for await (const keys of scanKeys(node, pattern)) {
      const ids = keys.flatMap((key) => sessionOfKey(key) ?? []).filter((id) => !seen.has(id))
      for (const id of ids) seen.add(id)
      yield [...new Set(ids)]
    }
  }
}

function masters(connection: Connection): Redis[] {
  try {
    return connection.masters()
  } catch (error) {
    return fail(error)
  }
}

async function* scanKeys(node: Redis, pattern: string): AsyncGenerator<string[]> {
  let cursor = '0'
  do {
    const [next, keys] = await withDeadline(STEP_LIMIT, node.scan(cursor, 'MATCH', pattern, 'COUNT', STEP)).catch(fail)
    yield keys
    cursor = next
  } while (cursor !== '0')
}

function fail(cause: unknown): never {
  throw new StorageError('redis', 'cannot scan the cache', { cause })
}
