import { open, type Run, type Session } from '../../dist/index.js'
import { renewRun } from '../../src/features/runs/operation.ts'
import { openDeps } from '../../src/open/open.ts'
import { copyPostgres, copySqlite, idleSession } from '../contenders/copy-sessions.ts'
import { message, messages, runReads } from '../load.ts'
import { type Competitor, known, measureInTurns } from '../measure.ts'
import type { Part, PartOptions } from '../part.ts'
import { quantile, type Row } from '../table.ts'
import { urlOf } from './target.ts'

const CALLS = 100

/**
 * K1: the calls of a run beside a plain append. K2: claims in a store that holds few and one that holds many sessions.
 * K3: reads before and after rewinds.
 */
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
    yield { id: 'K3', title: 'a session before and after rewinds', by: 'time', rows: await rewindRows(setting) }
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

/** Half of the log is hidden at once, then little by little. Nothing takes turns: each row is of another state. */
async function rewindRows({ store, ms, quick, places }: PartOptions): Promise<Row[]> {
  const tl = await open({ url: await urlOf(store, places), index: false })
  const session = await tl.sessions.create({ userId: 'bench' })
  const size = quick ? 5000 : 100_000
  for (const some of messages(size)) await session.append(some)
  const rows: Row[] = []
  const add = async (name: string, call: () => Promise<unknown>, count = CALLS) => {
    const { latencies, seconds } = await runReads(count, call, ms)
    const sorted = latencies.sort((a, b) => a - b)
    const figures = known({ p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) })
    rows.push({ name, kind: 'throughline', size, perSecond: sorted.length / seconds, ...figures, note: '' })
  }
  const reads = async (when: string) => {
    await add(`Throughline: recent, ${when}`, () => session.recent())
    await add(`Throughline: context of 32,000 tokens, ${when}`, () => session.context({ maxTokens: 32_000 }))
  }
  await reads('before')
  await add('Throughline: rewind by half of the log', () => session.rewind({ to: size / 2 }), 1)
  await reads('after it')
  for (let i = 0; i < 100; i++) {
    await session.append([message(0), message(1)])
    const { head } = await session.record()
    await add('Throughline: a further rewind', () => session.rewind({ to: head - 1 }), 1)
    if (i < 99) rows.pop()
  }
  await reads('after 100 more')
  await tl.close()
  return rows
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
