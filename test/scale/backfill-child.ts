import { writeSync } from 'node:fs'
import pg from 'pg'
import { type BackfillOptions, open } from '../../src/index.ts'

/** The child's work: a backfill into Postgres; it dies when it is about to create the n-th session. */
export interface BackfillJob {
  url: string
  options: BackfillOptions
  dieAt?: number
}

const { url, options, dieAt } = JSON.parse(process.argv[2] ?? '') as BackfillJob

let created = 0
const { query } = pg.Client.prototype
pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
  const { name } = (given[0] ?? {}) as { name?: string }
  if (name?.includes('create') && ++created === dieAt) {
    process.kill(process.pid, 'SIGKILL')
    // the signal ends the process while it blocks here
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
  }
  return query.apply(this, given as never)
} as typeof query

const tl = await open({ url, index: false })
const report = await tl.envelopes.backfill(options)
const rss = process.resourceUsage().maxRSS * 1024
writeSync(1, `${JSON.stringify({ report, rss, created })}\n`)
await tl.close()
