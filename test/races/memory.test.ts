import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { analyzeText as described } from '../../src/domain/recall/analyze.ts'
import { uuid7 } from '../../src/ids.ts'
import { type OpenOptions, open, type Throughline } from '../../src/index.ts'
import { openOn } from '../../src/open/open.ts'
import type { IndexPartition } from '../../src/ports/recall-index.ts'
import type { Store } from '../../src/ports/store.ts'
import { upTo } from '../../src/stores/conformance/samples.ts'
import { memoryStore } from '../../src/stores/memory/index.ts'
import { postgresStore } from '../../src/stores/postgres/index.ts'
import { sqliteStore } from '../../src/stores/sqlite/index.ts'
import { amount, printFigure, withDatabaseFile } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import type { MemoryJob, MemoryOutcome } from './memory-child.ts'

const CHILD = new URL('./memory-child.ts', import.meta.url)
const SESSIONS = amount(12, 200)
const USER = { tenant: 'local', userId: 'ada' }
const ALL = 100_000
/** What everyone says, and the one thing that is said in each session alone. */
const SHARED = 'I prefer ferries over planes'
const own = (n: number) => `I prefer topic${n} over place${n}`
const QUESTIONS = ['ferries or planes', 'which topic', 'quiet moments', 'topic3 or place3', 'what comes next']

/** Sessions that have ended, of more than one page each, of which nothing was read yet. */
async function ended(tl: Throughline, numbers: readonly number[]): Promise<Map<string, number>> {
  const sessions = new Map<string, number>()
  for (const n of numbers) {
    const session = await tl.sessions.create({ userId: USER.userId, chatmode: `chat ${n}` })
    const chat = upTo(210).map(
      (i) => ({ type: 'model_message', content: i % 2 === 0 ? 'Go on.' : 'And then?' }) as const,
    )
    const facts = [SHARED, own(n)].map((content) => ({ type: 'user_message', content }) as const)
    await session.append([...facts.slice(0, 1), ...chat, ...facts.slice(1)])
    await session.end()
    sessions.set(session.id, n)
  }
  return sessions
}

/**
 * All at once: two gather memories from the same sessions, from both ends; one goes along with the first of them and
 * purges some of the sessions on the way; one recalls.
 */
async function race(target: OpenOptions, ids: readonly string[], purged: readonly string[]) {
  const start = (job: Pick<MemoryJob, 'sessions' | 'purged' | 'questions'>) =>
    startChild(CHILD, { target, userId: USER.userId, ...job } satisfies MemoryJob)
  const children = [
    start({ sessions: ids }),
    start({ sessions: ids.toReversed() }),
    start({ sessions: ids, purged }),
    start({ sessions: ids, questions: QUESTIONS }),
  ]
  await Promise.all(children.map((child) => child.printed(1)))
  for (const child of children) child.go()
  await Promise.all(children.map(({ done }) => done))
  const [first = [], second = [], purger = [], recaller = []] = children.map(
    ({ lines }) => lines.slice(1) as MemoryOutcome[],
  )
  return { extracted: [...first, ...second], purger, recaller }
}

/** The words of a user in a corpus: counts, how many hold each term, and who. */
async function wordsOn(store: Store, corpus: IndexPartition['corpus'], terms: readonly string[]) {
  const { frequencies, speakers: _order, ...counts } = await store.index.lookup({ ...USER, corpus }, terms)
  const postings = await store.index.postings({ ...USER, corpus }, terms, ALL)
  const held = [...frequencies].filter(([, messages]) => messages > 0).sort(([a], [b]) => (a < b ? -1 : 1))
  return { counts, held, holders: new Set(postings.map(({ session }) => session)) }
}

/** The same sessions, with nobody else about. `more` were begun by the processes themselves. */
async function undisturbed(numbers: readonly number[], more: number, terms: readonly string[]) {
  const store = memoryStore(uuid7)
  const tl = openOn(store, { index: false })
  await ended(tl, numbers)
  for (const n of upTo(more)) {
    const session = await tl.sessions.create({ userId: USER.userId, chatmode: `own ${n}` })
    await session.append({ type: 'user_message', content: 'I prefer quiet moments.' })
    await session.end()
  }
  await tl.index()
  const words = { messages: await wordsOn(store, 'messages', terms), memories: await wordsOn(store, 'memories', terms) }
  const memories = (await store.memories.list({ ...USER, limit: ALL })).map(summaryOf)
  await tl.close()
  return { words, memories }
}

/** What a memory comes to, whoever came first. */
function summaryOf({ content, confidence, lineage }: { content: string; confidence: number; lineage: unknown[] }) {
  return { content, confidence, entries: lineage.length }
}

const byContent = (a: { content: string }, b: { content: string }) => (a.content < b.content ? -1 : 1)

async function keptApart(name: string, target: OpenOptions, connect: () => Promise<Store>): Promise<void> {
  const setup = await open({ ...target, index: false })
  const sessions = await ended(setup, upTo(SESSIONS))
  await setup.close()
  const ids = [...sessions.keys()]
  const purged = ids.filter((_, i) => i % 3 === 1)
  const { extracted, purger, recaller } = await race(target, ids, purged)

  for (const { sessionId, code } of extracted) {
    if (!purged.includes(sessionId)) expect(code, sessionId).toBeUndefined()
    else if (code !== undefined) expect(code).toBe('SESSION_NOT_FOUND')
  }
  expect(purger.filter(({ code }) => code !== undefined)).toEqual([])
  expect(recaller.filter(({ code }) => code !== undefined)).toEqual([])

  const store = await connect()
  const tl = openOn(store, { index: false, tokenizer: 'estimate' })
  await tl.index()
  await checkLeft(tl, store, sessions, purged)
  expect((await tl.verify()).differences).toEqual([])
  await tl.close()
  const late = extracted.filter(({ code }) => code !== undefined).length
  const hits = recaller.reduce((sum, { found = 0 }) => sum + found, 0)
  printFigure(
    `2 gather, 1 purges, 1 recalls on ${name}: ${SESSIONS} sessions, ${purged.length} purged (${late} of ${2 * purged.length} came too ` +
      `late), ${hits} hits meanwhile; nothing of a purged session is left, each fact of the others once`,
  )
}

/** Nothing of the purged sessions, and of the others what an undisturbed store has. */
async function checkLeft(tl: Throughline, store: Store, sessions: Map<string, number>, purged: readonly string[]) {
  const terms = [...sessions.values()].flatMap((n) => [...described(own(n)).places.keys()])
  terms.push(...described(`${SHARED}. Go on. And then? I prefer quiet moments. Session`).places.keys())
  const left = [...sessions].filter(([id]) => !purged.includes(id)).map(([, n]) => n)
  const expected = await undisturbed(left, 4, terms)
  const memories = await store.memories.list({ ...USER, limit: ALL })
  expect(memories.map(summaryOf).sort(byContent)).toEqual(expected.memories.sort(byContent))
  expect(memories.flatMap(({ lineage }) => lineage).filter(({ sessionId = '' }) => purged.includes(sessionId))).toEqual(
    [],
  )

  for (const corpus of ['messages', 'memories'] as const) {
    const { counts, held, holders } = await wordsOn(store, corpus, terms)
    expect({ counts, held }).toEqual({ counts: expected.words[corpus].counts, held: expected.words[corpus].held })
    expect(holders.size).toBe(expected.words[corpus].holders.size)
    for (const id of purged) expect(holders).not.toContain(id)
  }
  expect(await store.index.facts(USER, { places: [], sessions: purged, perSession: ALL })).toEqual([])
  for (const id of purged) {
    expect(await store.index.mark(id)).toBeUndefined()
    const { items } = await tl.recall({ userId: USER.userId, query: own(sessions.get(id) ?? 0), limit: 20 })
    expect(items.filter(({ sessionId = '' }) => purged.includes(sessionId))).toEqual([])
    expect(items.map(({ content }) => content)).not.toContain(own(sessions.get(id) ?? 0))
  }
}

it('leaves nothing of a session that is purged while it is indexed, on SQLite', { timeout: 900_000 }, async () => {
  await withDatabaseFile(async (path) => {
    const target = { url: `sqlite:${path}`, durability: 'relaxed' } as const
    await keptApart('sqlite', target, () => sqliteStore({ path, durability: 'relaxed', migrate: true, newId: uuid7 }))
  })
})

describe.each(inject('postgres').slice(0, 1))('on $name', ({ name, url }) => {
  let databases: Databases
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())

  it('leaves nothing of a session that is purged while it is indexed', { timeout: 900_000 }, async () => {
    const database = await databases.create()
    const target = { url: database.url(SERVING) }
    await keptApart(name, target, () => postgresStore({ url: target.url, migrate: false }))
    const rows = await database.admin(
      'select deadlocks::integer from pg_stat_database where datname = current_database()',
    )
    expect(rows).toEqual([{ deadlocks: 0 }])
    await database.destroy()
  })
})
