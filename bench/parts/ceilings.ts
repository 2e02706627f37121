import { open } from '../../dist/index.js'
import { message, runWriters, WORK } from '../load.ts'
import type { Part } from '../part.ts'
import { quantile, type Row } from '../table.ts'
import { urlOf } from './target.ts'

/** What each call may take at p99, in milliseconds. */
export const CEILINGS = { create: 50, append: 20, recent: 100, state: 20, update: 30 } as const

/** Single calls of one caller, while 32 writers append to 32 sessions of the same store in the same process. */
export const CEILING: Part = {
  name: 'ceilings',
  stores: ['sqlite', 'postgres'],
  async *run({ store, quick, places }) {
    const ms = quick ? 1500 : 15_000
    const tl = await open({ url: await urlOf(store, places) })
    const sessions = await Promise.all(
      Array.from({ length: WORK.W2.sessions }, () => tl.sessions.create({ userId: 'bench' })),
    )
    const own = await tl.sessions.create({ userId: 'bench' })
    await own.append(Array.from({ length: 200 }, (_, i) => message(i)))
    let value = 0
    const calls: Record<keyof typeof CEILINGS, () => Promise<unknown>> = {
      create: () => tl.sessions.create({ userId: 'bench' }),
      append: () => own.append(message(0)),
      recent: () => own.recent(),
      state: () => own.state(),
      update: () => own.updateState({ counter: value++ }),
    }
    const names = Object.keys(CEILINGS) as (keyof typeof CEILINGS)[]
    const taken = new Map<string, number[]>(names.map((name) => [name, []]))
    const until = performance.now() + ms
    const load = runWriters(
      { writers: WORK.W2.writers, each: Number.POSITIVE_INFINITY },
      (writer, i) => sessions[writer]?.append(message(i)),
      ms,
    )
    while (performance.now() < until) {
      for (const name of names) {
        const begun = performance.now()
        await calls[name]()
        taken.get(name)?.push(performance.now() - begun)
      }
    }
    const { operations, seconds } = await load
    await tl.close()
    const rows = names.map((name): Row => {
      const sorted = (taken.get(name) ?? []).sort((a, b) => a - b)
      const figures = { p50: quantile(sorted, 0.5) ?? 0, p99: quantile(sorted, 0.99) ?? 0 }
      return { name, kind: 'throughline', ...figures, note: `ceiling ${CEILINGS[name]} ms; ${sorted.length} calls` }
    })
    const rate = Math.round(operations / seconds).toLocaleString('en')
    yield { id: 'ceilings', title: `single calls while 32 writers make ${rate} appends a second`, by: 'time', rows }
    await places.clear()
  },
}
