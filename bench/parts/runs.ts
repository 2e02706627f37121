import { open, type Run, type Session } from '../../dist/index.js'
import { renewRun } from '../../src/features/runs/operation.ts'
import { openDeps } from '../../src/open/open.ts'
import { copyPostgres, copySqlite, idleSession } from '../contenders/copy-sessions.ts'
import { message, runReads } from '../load.ts'
import { type Competitor, measureInTurns } from '../measure.ts'
import type { Part, PartOptions } from '../part.ts'
import { urlOf } from './target.ts'

const CALLS = 100

/** K1: the calls of a run beside a plain append. K2: claims in a store that holds few and one that holds many sessions. */
export const RUNS: Part = {
  name: 'runs',
  stores: ['sqlite', 'postgres'],
  oneCaller: true,
  async *run(setting) {
    const calls = await callsOf(setting)
    yield { id: 'K1', title: 'calls of a run', by: 'time', rows: await measureInTurns(calls, setting.rounds) }
    const claims: Competitor[] = []
    for (const size of setting.quick ? [100, 10_000] : [1000, 1_000_000])
      claims.push(...(await claimsOf(setting, size)))
    const rows = await measureInTurns(claims, setting.rounds)
    yield { id: 'K2', title: 'claims among idle sessions', by: 'time', rows }
    await setting.places.clear()
  },
}

async function callsOf({ store, ms, places }: PartOptions): Promise<Competitor[]> {
  const url = await urlOf(store, places)
  const tl = await open({ url, index: false })
  const { deps, close } = await openDeps({ url, index: false })
  const session = (await tl.sessions.create({ userId: 'bench' })) as Session
  const other = await (await tl.sessions.create({ userId: 'bench' })).run({ ttlMs: 3_600_000 })
  let live: Run | undefined
  let count = 0
  const row = (name: string, call: () => Promise<unknown>, end = async () => {}): Competitor => ({
    name: `Throughline: ${name}`,
    kind: 'throughline',
    base: 'Throughline: append without a run',
    round: () => runReads(CALLS, call, ms),
    close: end,
  })
  return [
    row('append without a run', () => session.append(message(count++))),
    row('append of a run', () => other.append(message(count++))),
    row('a step', () => other.step(`step ${count++}`, () => count)),
    row('a step that is recorded', () => other.step('step', () => count)),
    row('renew', () => renewRun(deps, other.id, { generation: other.generation, ttlMs: 3_600_000 })),
    row(
      'begin and finish',
      async () => {
        live = await session.run()
        await live.finish()
      },
      async () => {
        await close()
        await tl.close()
      },
    ),
  ]
}

async function claimsOf({ store, ms, places }: PartOptions, size: number): Promise<Competitor[]> {
  const url = await urlOf(store, places)
  if (store === 'sqlite') await copySqlite(url.slice('sqlite:'.length), size, idleSession)
  else await copyPostgres(url, (await places.postgres()).owner(url), size, idleSession)
  const tl = await open({ url, index: false })
  const { deps, close } = await openDeps({ url, index: false })
  const waiting: Session[] = []
  for (let i = 0; i < CALLS; i++) waiting.push(await tl.sessions.create({ userId: `waiting-${i}` }))
  let count = 0
  return [
    {
      name: 'Throughline: claim and finish',
      kind: 'throughline',
      size,
      round: () =>
        runReads(
          CALLS,
          async () => {
            await waiting[count++ % CALLS]?.append(message(0))
            await (await tl.claim({ worker: 'bench' })).finish()
          },
          ms,
        ),
      close: async () => {},
    },
    {
      name: 'Throughline: a look that finds nothing',
      kind: 'throughline',
      size,
      round: () =>
        runReads(CALLS, () => deps.store.claimable({ at: '2020-01-01T00:00:00.000Z', tenants: 8, limit: 4 }), ms),
      close: async () => {
        await close()
        await tl.close()
      },
    },
  ]
}
