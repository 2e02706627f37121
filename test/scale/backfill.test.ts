import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { type BackfillReport, type Envelope, open, type Throughline } from '../../src/index.ts'
import { legacySource } from '../../src/legacy/index.ts'
import { amount, printFigure } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import { fillLegacy } from '../servers/legacy-data.ts'
import type { BackfillJob } from './backfill-child.ts'

const CHILD = new URL('./backfill-child.ts', import.meta.url)
const SESSIONS = amount(150, 100_000)
const KILLS = amount(2, 4)
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

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex')

/** What each session's envelope should come to, straight from the older system. */
async function expected(from: string): Promise<Map<string, string>> {
  const source = await legacySource({ url: from })
  const sums = new Map<string, string>()
  for await (const session of source.sessions()) {
    const {
      id,
      personaId,
      tenant = 'local',
      subject = 'unknown',
      issuer,
      scope,
      metadata,
      analysis,
      createdAt,
    } = session
    if (/^[0-9a-f-]{36}$/.test(id)) {
      sums.set(id, digest([personaId, tenant, subject, issuer, scope, metadata, analysis, createdAt]))
    }
  }
  await source.close()
  return sums
}

const summed = ({ persona_id, tenant, subject, issuer, scope, metadata, analysis, timestamps }: Envelope) =>
  digest([persona_id, tenant, subject, issuer, scope, metadata, analysis, timestamps.created_at])

/** The same of what callers read, stored or not. */
async function readBack(tl: Throughline, ids: Iterable<string>): Promise<Map<string, string>> {
  const waiting = [...ids]
  const sums = new Map<string, string>()
  const reader = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      sums.set(id, summed(await (await tl.sessions.get(id)).envelope()))
    }
  }
  await Promise.all(Array.from({ length: 32 }, reader))
  return sums
}

/** Ids whose sums differ. */
const differing = (a: ReadonlyMap<string, string>, b: ReadonlyMap<string, string>) =>
  [...new Set([...a.keys(), ...b.keys()])].filter((id) => a.get(id) !== b.get(id)).sort()

it(`backfills ${SESSIONS.toLocaleString('en')} sessions, killed and resumed, and rolls them back`, {
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
  printFigure(`dry run of ${SESSIONS} sessions: ${took()} s`)

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
  printFigure(
    `${KILLS} × killed with ${killedAt.envelopes} in, then to the end: ${took()} s, ${Math.round((ended?.rss ?? 0) / 1e6)} MB at most`,
  )
  const report = ended?.report as BackfillReport
  expect(report.failed).toBe(filled.invalidIds)
  expect(report.created + report.updated + report.unchanged).toBe(valid)
  // completed: sessions that were begun, and whose second event was cut off
  printFigure(`created ${report.created}, completed ${report.updated}, unchanged ${report.unchanged}`)
  expect(killedAt.envelopes).toBeGreaterThan(0)
  const told = await expected(from)
  expect(told.size).toBe(valid)

  // again: nothing changes
  const events = async () => (await database.admin('select count(*)::int as n from context.session_events'))[0]
  const before = await events()
  start = performance.now()
  const again = await backfilled({ url, options: { from, batch: 'second' } })
  expect(again?.report).toMatchObject({ created: 0, updated: 0, unchanged: valid, kept: 0 })
  printFigure(`again: ${took()} s`)
  expect(await events()).toEqual(before)

  // rolled back: what was written since stays, nothing is lost, and a rebuild stores the same
  const ids = [...told.keys()].sort().slice(0, LIVE)
  for (const id of ids) await (await tl.sessions.get(id)).updateEnvelope({ personaId: 'live' })
  start = performance.now()
  const rolled = await tl.envelopes.rollback({ batch: 'cut-over' })
  expect(rolled.envelopes).toBe(valid - LIVE)
  printFigure(`rollback of ${rolled.envelopes} envelopes: ${took()} s`)
  const left = await database.admin('select session_id from context.session_envelopes order by session_id')
  expect(left.map(({ session_id }) => session_id)).toEqual(ids)
  // a part of them, from the logs
  const some = new Map([...told].slice(0, 2000))
  const changed = new Set(ids)
  expect(differing(some, await readBack(tl, some.keys())).every((id) => changed.has(id))).toBe(true)
  start = performance.now()
  expect((await tl.rebuild()).repaired).toHaveLength(valid - LIVE)
  printFigure(`rebuild: ${took()} s`)
  start = performance.now()
  expect(differing(told, await readBack(tl, told.keys()))).toEqual(ids)
  printFigure(`all of them read back: ${took()} s`)
  start = performance.now()
  expect(await tl.verify()).toMatchObject({ sessions: valid, differences: [] })
  printFigure(`verify: ${took()} s`)
  const kept = await tl.envelopes.backfill({ from, batch: 'third' })
  expect(kept).toMatchObject({ created: 0, updated: 0, kept: LIVE, unchanged: valid - LIVE })
  printFigure(`${filled.malformed} malformed payloads, ${filled.invalidIds} ids that are no UUID`)
  await tl.close()
})
