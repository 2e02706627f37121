import type { StoreClock } from '../../ports/clock.ts'
import type { Connections } from './connection.ts'

const NOW = {
  name: 'database-time',
  text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
}

/** Milliseconds until the time of the database is read again. */
const INTERVAL = 60_000

/** Milliseconds until it is read again after a failure. */
const RETRY = 1000

/** The host's clock was set, or the host slept, if it moved this far against the monotonic clock, in milliseconds. */
const JUMP = 1000

/** Difference between the clocks of host and database that is reported, in milliseconds. */
const SKEW = 60_000

/**
 * The time of the database, so that processes agree whatever their hosts' clocks say. Counts on from the last reading
 * with the monotonic clock, and reads again in the background, so that no call waits for it.
 */
export async function databaseClock({ query }: Connections): Promise<StoreClock> {
  /** Times when the monotonic clock was at 0. */
  let database = 0
  let host = 0
  let nextReading = 0
  let reading: Promise<void> | undefined
  let warned = false

  async function read(): Promise<void> {
    const before = performance.now()
    const [row] = await query<{ now: number }>(NOW, [], { retry: true })
    const after = performance.now()
    database = (row?.now ?? 0) - (before + after) / 2
    host = Date.now() - after
    nextReading = after + INTERVAL
    warn()
  }

  function warn(): void {
    const ahead = host - database
    if (warned || Math.abs(ahead) < SKEW) return
    warned = true
    const minutes = `${Math.round(Math.abs(ahead) / 60_000)} min ${ahead > 0 ? 'ahead of' : 'behind'}`
    const message = `the clock of this machine is ${minutes} the database, whose time is used instead; set it with NTP`
    process.emitWarning(message, { code: 'CLOCK_SKEW' })
  }

  function sync(): Promise<void> {
    reading ??= read().finally(() => {
      reading = undefined
    })
    return reading
  }

  await sync()
  return {
    now() {
      const elapsed = performance.now()
      if (elapsed > nextReading || Math.abs(Date.now() - elapsed - host) > JUMP) {
        // once, whatever comes of it
        nextReading = elapsed + RETRY
        host = Date.now() - elapsed
        sync().catch(() => {})
      }
      return Math.round(database + elapsed)
    },
    sync,
  }
}
