import { open, type Throughline } from '../../dist/index.js'
import { message, runReads, runWriters, WORK, type Workload } from '../load.ts'
import { type Competitor, measureInTurns } from '../measure.ts'
import type { Part } from '../part.ts'
import { makeQuestion, makeSentence, seededRandom } from '../synthetic-text.ts'
import { labelOf } from '../table.ts'
import { urlOf } from './target.ts'

/** Messages of one session, of one append, and memories of one call. */
const SESSION = 200
const CALL = 500
const ASKS = 100
const userId = 'bench'

/** A round lasts as long as its questions. */
const NO_HURRY = Number.POSITIVE_INFINITY

const QUICK = [
  { events: 2_000, memories: 500 },
  { events: 20_000, memories: 5_000 },
]
/** Indexing a million messages takes minutes, so a full run uses fewer. */
const WHOLE = [
  { events: 10_000, memories: 1_000 },
  { events: 100_000, memories: 10_000 },
]
const ALONE = [
  { events: 10_000, memories: 1_000 },
  { events: 1_000_000, memories: 100_000 },
]

/** Recall over events and search over memories of one user, at several sizes, the smallest first. */
export const RECALL: Part = {
  name: 'recall',
  stores: ['sqlite', 'postgres'],
  async *run({ store, quick, whole, rounds, places }) {
    const sizes = quick ? QUICK : whole ? WHOLE : ALONE
    const smallest = { recall: sizes[0]?.events ?? 0, search: sizes[0]?.memories ?? 0 }
    const row = (name: 'recall' | 'search', size: number) => ({
      ...{ name, kind: 'throughline' as const, size },
      base: labelOf({ name, size: smallest[name] }),
    })
    const competitors: Competitor[] = []
    for (const { events, memories } of sizes) {
      const tl = await open({ url: await urlOf(store, places), durability: 'relaxed', index: false })
      await fill(tl, events, memories)
      const next = seededRandom(7)
      const asked = { userId, limit: 10 }
      competitors.push({
        ...row('recall', events),
        round: () =>
          runReads(ASKS, () => tl.recall({ ...asked, query: makeQuestion(next), kinds: ['event'] }), NO_HURRY),
        close: async () => {},
      })
      competitors.push({
        ...row('search', memories),
        round: () =>
          runReads(ASKS, () => tl.memories.search({ ...asked, query: makeQuestion(next), record: false }), NO_HURRY),
        close: () => tl.close(),
      })
    }
    if (store === 'postgres') await (await places.postgres()).vacuum()
    const title = 'recall over events and search over memories, 10 hits'
    yield { id: 'recall', title, by: 'time', rows: await measureInTurns(competitors, rounds) }
    await places.clear()
  },
}

async function fill(tl: Throughline, events: number, memories: number): Promise<void> {
  const next = seededRandom(1)
  for (let told = 0; told < events; told += SESSION) {
    const session = await tl.sessions.create({ userId })
    const talk = Array.from({ length: Math.min(SESSION, events - told) }, (_, i) => ({
      type: i % 2 === 0 ? ('user_message' as const) : ('model_message' as const),
      content: makeSentence(next),
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
      content: makeSentence(next),
      id: crypto.randomUUID(),
    }))
    await tl.memories.remember(some)
  }
}

/** Appends with the index off and on: indexing left over from a round ends before the next, and does not count. */
export const INDEXED: Part = {
  name: 'indexed',
  stores: ['sqlite', 'postgres'],
  async *run({ store, quick, whole, rounds, places }) {
    for (const [id, work] of [['W1', WORK.W1] as const, ['W2', WORK.W2] as const]) {
      const competitors: Competitor[] = []
      for (const index of [false, true]) {
        const tl = await open({ url: await urlOf(store, places), index })
        competitors.push({
          ...{ name: `index ${index ? 'on' : 'off'}`, kind: 'throughline', base: 'index off' },
          round: () => appending(tl, work, quick ? 1 : whole ? LONG : LONGER),
          close: () => tl.close(),
        })
      }
      // a round is long
      const rows = await measureInTurns(competitors, Math.min(rounds, 3))
      yield { id: `${id} indexed`, title: `${work.title}, with the index of words`, by: 'rate', rows }
      await places.clear()
    }
  },
}

/** Multiples of the usual work, so that a round lasts seconds and includes indexing; fewer in a full run. */
const LONGER = 10
const LONG = 4

async function appending(tl: Throughline, work: Workload, times: number) {
  const sessions = await Promise.all(Array.from({ length: work.sessions }, () => tl.sessions.create({ userId })))
  const next = seededRandom(3)
  const begun = performance.now()
  const { operations } = await runWriters(
    { ...work, each: work.each * times },
    (writer, i) => sessions[writer % sessions.length]?.append({ ...message(i), content: makeSentence(next) }),
    NO_HURRY,
  )
  const perSecond = operations / ((performance.now() - begun) / 1000)
  await tl.index()
  return { perSecond }
}
