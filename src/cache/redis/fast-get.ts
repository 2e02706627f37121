import type { Redis } from 'ioredis'
import type { Keys } from './keys.ts'

/** The value of a session if it is certainly valid; `undefined`: ask the script. */
export type FastGet = (keys: Keys) => Promise<string | undefined>

/**
 * Serves hits without a script: one command of 1 µs instead of 24 µs. Like the script it reads the three keys
 * atomically, and accepts a value only if the current server process wrote it. The run id holds as long as the
 * connection lasts, since a process that ends closes its connections.
 */
export function fastGet(client: Redis): FastGet {
  let runId: string | undefined
  let connection = 0

  async function readRunId(): Promise<void> {
    const mine = ++connection
    const info = await client.info('server')
    if (mine === connection) runId = /^run_id:([\da-f]+)/m.exec(info)?.[1]
  }

  client.on('ready', () => void readRunId().catch(() => {}))
  client.on('close', () => {
    connection++
    runId = undefined
  })

  return async ([value, version, , tombstone]) => {
    // the run id at the time of sending: a command is sent immediately or fails
    const current = runId
    if (current === undefined) return undefined
    const [found, mark, buried] = await client.mget(value, version, tombstone)
    const [, writtenBy] = /^\d+ ([\da-f]+)$/.exec(mark ?? '') ?? []
    return typeof found === 'string' && buried === null && writtenBy === current ? found : undefined
  }
}
