import type { Redis } from 'ioredis'
import type { Keys } from './keys.ts'

/** The value of a session where that is beyond doubt; `undefined`: let the script look. */
export type FastGet = (keys: Keys) => Promise<string | undefined>

/**
 * Finds hits without a script: one command of 1 µs in place of 24. It sees the same three keys at one moment, and takes a value for
 * good under the same condition, that the process which is asked has put it there itself. That is known for as long as the connection
 * lasts, since a process that ends takes its connections along.
 */
export function fastGet(client: Redis): FastGet {
  let run: string | undefined
  let connection = 0

  async function learn(): Promise<void> {
    const mine = ++connection
    const info = await client.info('server')
    if (mine === connection) run = /^run_id:([\da-f]+)/m.exec(info)?.[1]
  }

  client.on('ready', () => void learn().catch(() => {}))
  client.on('close', () => {
    connection++
    run = undefined
  })

  return async ([value, version, , tombstone]) => {
    // what was known when it was sent, for it is sent at once or not at all
    const by = run
    if (by === undefined) return undefined
    const [found, mark, grave] = await client.mget(value, version, tombstone)
    const [, whose] = /^\d+ ([\da-f]+)$/.exec(mark ?? '') ?? []
    return typeof found === 'string' && grave === null && whose === by ? found : undefined
  }
}
