import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type BackfillReport, type Envelope, open, type Throughline } from '../../src/index.ts'
import { amount, figure, withFile } from '../proof.ts'
import { startChild } from '../servers/child.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import { fillLegacy } from '../servers/legacy.ts'
import type { BackfillJob } from './backfill-child.ts'

const CHILD = new URL('./backfill-child.ts', import.meta.url)
const SESSIONS = amount(300, 100_000)
const KILLS = amount(2, 5)
/** Sessions that somebody changes after the backfill. */
const LIVE = amount(20, 500)

let databases: Databases
beforeAll(async () => {
  databases = await databasesOf(inject('postgres')[0]?.url ?? '')
})
afterAll(() => databases.close())

interface Ended {
  report: BackfillReport
  rss: number
}

async function backfilled(job: BackfillJob): Promise<Ended | undefined> {
  const { lines, killed } = await startChild(CHILD, job).done
  return killed ? undefined : (lines[0] as Ended)
}

/** Tenants that the generator makes up, and the one of sessions that name none. */
const TENANTS = ['local', ...Array.from({ length: 50 }, (_, n) => `tenant-${n}`)]

async function* envelopes(tl: Throughline): AsyncGenerator<Envelope> {
  for (const tenant of TENANTS) {
    for (let cursor: string | undefined; ; ) {
      const page = await tl.sessions.list({ tenant, limit: 500, ...(cursor !== undefined && { cursor }) })
      const handles = await Promise.all(page.items.map(({ id }) => tl.sessions.get(id)))
      yield* await Promise.all(handles.map((session) => session.envelope()))
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
  }
}

/** What all envelopes come to, but for the time they were written at, in whatever order. */
async function sum(tl: Throughline): Promise<{ count: number; digest: string }> {
  const hashes: string[] = []
  for await (const { timestamps, ...envelope } of envelopes(tl)) {
    const text = JSON.stringify([envelope, timestamps.created_at])
    hashes.push(createHash('sha256').update(text).digest('hex'))
  }
  return { count: hashes.length, digest: createHash('sha256').update(hashes.sort().join()).digest('hex') }
}

it(`takes ${SESSIONS.toLocaleString('en')} sessions over, killed and resumed, and rolls them back`, {
  timeout: 1_800_000,
}, async () => {
  const old = await databases.create('bare')
  const filled = await fillLegacy(old.url(), { sessions: SESSIONS })
  const valid = SESSIONS - filled.invalidIds
  const from = old.url()
  const database = await databases.create()
  const url = database.url(SERVING)
  const tl = await open({ url, index: false })

  // a dry run says what would come, and writes nothing
  let start = performance.now()
  const took = () => ((performance.now() - start) / 1000).toFixed(1)
  const dry = await tl.envelopes.backfill({ from, batch: 'cut-over', dryRun: true })
  expect(dry).toMatchObject({ dryRun: true, sessions: SESSIONS, created: valid, failed: filled.invalidIds })
  expect(await tl.envelopes.rollback({ batch: 'cut-over', dryRun: true })).toEqual({ dryRun: true, envelopes: 0 })
  figure(`dry run of ${SESSIONS} sessions: ${took()} s`)

  // killed again and again, and run to its end
  start = performance.now()
  const options = { from, batch: 'cut-over' }
  for (let kill = 1; kill <= KILLS; kill++) {
    // each goes on behind where the one before it died
    const dieAt = Math.floor(SESSIONS / (KILLS + 1)) + kill
    expect(await backfilled({ url, options, dieAt })).toBeUndefined()
  }
  const killedAt = await tl.envelopes.rollback({ batch: 'cut-over', dryRun: true })
  const ended = await backfilled({ url, options })
  figure(
    `${KILLS} × killed with ${killedAt.envelopes} in, then to the end: ${took()} s, ${Math.round((ended?.rss ?? 0) / 1e6)} MB at most`,
  )
  const report = ended?.report as BackfillReport
  expect(report.failed).toBe(filled.invalidIds)
  expect(report.created + report.updated + report.unchanged).toBe(valid)
  // completed: sessions that were begun, and whose second event was cut off
  figure(`created ${report.created}, completed ${report.updated}, unchanged ${report.unchanged}`)
  expect(killedAt.envelopes).toBeGreaterThan(0)
  const verified = await tl.verify()
  expect(verified.differences).toEqual([])
  expect(verified.sessions).toBe(valid)

  // again: nothing changes
  start = performance.now()
  const again = await backfilled({ url, options: { from, batch: 'second' } })
  expect(again?.report).toMatchObject({ created: 0, updated: 0, unchanged: valid, kept: 0 })
  figure(`again: ${took()} s`)
  expect(await tl.verify()).toEqual(verified)

  // the same as a run that nobody disturbed, on another store
  const all = await sum(tl)
  await withFile(async (path) => {
    const other = await open({ url: `sqlite:${path}`, durability: 'relaxed', index: false })
    start = performance.now()
    await other.envelopes.backfill({ from, batch: 'undisturbed' })
    figure(`undisturbed into SQLite: ${took()} s`)
    expect(await sum(other)).toEqual(all)
    await other.close()
  })
  expect(all.count).toBe(valid)

  // rolled back: what was written since stays, nothing is lost, and a rebuild stores the same
  const ids = (await database.admin(`select id from context.sessions order by id limit ${LIVE}`)).map(({ id }) =>
    String(id),
  )
  for (const id of ids) await (await tl.sessions.get(id)).updateEnvelope({ personaId: 'live' })
  const changed = await sum(tl)
  start = performance.now()
  const rolled = await tl.envelopes.rollback({ batch: 'cut-over' })
  expect(rolled.envelopes).toBe(valid - LIVE)
  figure(`rollback of ${rolled.envelopes} envelopes: ${took()} s`)
  const left = await database.admin('select session_id from context.session_envelopes order by session_id')
  expect(left.map(({ session_id }) => session_id)).toEqual(ids)
  expect(await sum(tl)).toEqual(changed)
  start = performance.now()
  expect((await tl.rebuild()).repaired).toHaveLength(valid - LIVE)
  figure(`rebuild: ${took()} s`)
  expect((await tl.verify()).differences).toEqual([])
  expect(await sum(tl)).toEqual(changed)
  const kept = await tl.envelopes.backfill({ from, batch: 'third' })
  expect(kept).toMatchObject({ created: 0, updated: 0, kept: LIVE, unchanged: valid - LIVE })
  figure(`${filled.malformed} malformed payloads, ${filled.invalidIds} ids that are no UUID`)
  await tl.close()
})
