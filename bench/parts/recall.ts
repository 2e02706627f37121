import { open, type Throughline } from '../../dist/index.js'
import { message, reading, type Work, writing } from '../load.ts'
import { alternate, type Competitor, type Result } from '../measure.ts'
import type { Places } from '../places.ts'
import { chance, question, sentence } from '../talk.ts'

export const RECALL_STORES = ['sqlite', 'postgres'] as const

type Store = (typeof RECALL_STORES)[number]

/** Messages of one session, of one append, and memories of one call. */
const SESSION = 200
const CALL = 500
const ASKS = 100
const userId = 'bench'

async function targetOf(store: Store, places: Places): Promise<string> {
  return store === 'sqlite' ? `sqlite:${places.file()}` : await (await places.postgres()).served()
}

/** Recall over events and search over memories of one user, at several sizes, the smallest first. */
export async function recallPart(
  sizes: readonly { events: number; memories: number }[],
  store: Store,
  rounds: number,
  places: Places,
): Promise<Result[]> {
  const competitors: Competitor[] = []
  for (const { events, memories } of sizes) {
    const tl = await open({ url: await targetOf(store, places), durability: 'relaxed', index: false })
    await fill(tl, events, memories)
    const next = chance(7)
    competitors.push({
      name: `recall, ${events.toLocaleString('en')} events`,
      round: () => reading(ASKS, () => tl.recall({ userId, query: question(next), limit: 10, kinds: ['event'] })),
      close: async () => {},
    })
    competitors.push({
      name: `search, ${memories.toLocaleString('en')} memories`,
      round: () => reading(ASKS, () => tl.memories.search({ userId, query: question(next), limit: 10, record: false })),
      close: () => tl.close(),
    })
  }
  if (store === 'postgres') await (await places.postgres()).vacuum()
  const results = await alternate(competitors, rounds)
  await places.clear()
  return results
}

async function fill(tl: Throughline, events: number, memories: number): Promise<void> {
  const next = chance(1)
  for (let told = 0; told < events; told += SESSION) {
    const session = await tl.sessions.create({ userId })
    const talk = Array.from({ length: Math.min(SESSION, events - told) }, (_, i) => ({
      type: i % 2 === 0 ? ('user_message' as const) : ('model_message' as const),
      content: sentence(next),
    }))
    await session.append(talk)
  }
  const begun = performance.now()
  await tl.index()
  const seconds = (performance.now() - begun) / 1000
  console.log(`${events.toLocaleString('en')} events came into the index in ${seconds.toFixed(1)} s`)
  for (let kept = 0; kept < memories; kept += CALL) {
    const some = Array.from({ length: Math.min(CALL, memories - kept) }, () => ({
      userId,
      content: sentence(next),
      id: crypto.randomUUID(),
    }))
    await tl.memories.remember(some)
  }
}

/** Appends with the index off and on: what is left to read after a round is read before the next, and not counted. */
export async function indexedPart(work: Work, store: Store, rounds: number, places: Places): Promise<Result[]> {
  const competitors: Competitor[] = []
  for (const index of [false, true]) {
    const tl = await open({ url: await targetOf(store, places), index })
    competitors.push({
      name: `index ${index ? 'on' : 'off'}`,
      round: () => appending(tl, work),
      close: () => tl.close(),
    })
  }
  const results = await alternate(competitors, rounds)
  await places.clear()
  return results
}

/** So many times the usual work, so that a round lasts for seconds and the reading falls into it. */
const LONGER = 10

async function appending(tl: Throughline, work: Work) {
  const sessions = await Promise.all(Array.from({ length: work.sessions }, () => tl.sessions.create({ userId })))
  const next = chance(3)
  const begun = performance.now()
  const { operations } = await writing({ ...work, each: work.each * LONGER } as Work, (writer, i) =>
    sessions[writer % sessions.length]?.append({ ...message(i), content: sentence(next) }),
  )
  const perSecond = operations / ((performance.now() - begun) / 1000)
  await tl.index()
  return { perSecond }
}
