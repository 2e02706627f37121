import type { Redis } from 'ioredis'
import type { CacheHealth } from '../../ports/envelope-cache.ts'
import type { Connection } from './connect.ts'
import { withDeadline } from './deadline.ts'
import { keysOf } from './keys.ts'
import { REMOVE } from './scripts.ts'

/** No session has this id, so removing its value is harmless. */
const NOBODY = 'throughline-health'

/** Asks every node for its info and runs one writing script, which a replica or a restricted user cannot. */
export async function healthOf(connection: Connection, ms: number): Promise<CacheHealth> {
  try {
    const asked = connection.masters().map(infoOf)
    const [infos] = await withDeadline(
      ms,
      Promise.all([Promise.all(asked), connection.run(REMOVE, keysOf(NOBODY), [0])]),
    )
    return { name: 'redis', ok: true, details: detailsOf(infos) }
  } catch (error) {
    // commands sent without a connection fail for that reason
    const problem = connection.problem() ?? (error instanceof Error ? error.message : String(error))
    return { name: 'redis', ok: false, details: { problem } }
  }
}

type Info = ReadonlyMap<string, string>

async function infoOf(node: Redis): Promise<Info> {
  const text = await node.info().catch((error: unknown) => {
    // the user lacks the permission for INFO
    if (String(error).includes('NOPERM')) return ''
    throw error
  })
  return new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]))
}

function detailsOf(nodes: readonly Info[]): CacheHealth['details'] {
  const all = (name: string) => nodes.flatMap((info) => info.get(name) ?? [])
  const distinct = (name: string) => [...new Set(all(name))].join(' and ')
  const sum = (name: string) => all(name).reduce((total, value) => total + Number(value), 0)
  const isLimited = all('maxmemory').every((value) => value !== '0')
  return {
    ...(all('redis_version').length > 0 && {
      redis: distinct('redis_version'),
      policy: distinct('maxmemory_policy'),
      memoryBytes: sum('used_memory'),
      ...(isLimited && { memoryLimitBytes: sum('maxmemory') }),
    }),
    ...(nodes.length > 1 && { nodes: nodes.length }),
  }
}
