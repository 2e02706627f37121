import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type EventInput, type OpenOptions, open, type Session } from '../../src/index.ts'
import { upTo } from '../../src/stores/conformance/samples.ts'
import { commitHash } from '../commit-hash.ts'
import { amount, isProving, printFigure, withDatabaseFile } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import type { Compacted, CompactJob } from './compact-child.ts'

const CHILD = new URL('./compact-child.ts', import.meta.url)
const EVENTS = amount(3_000, 100_000)
const FEW = amount(1_500, 10_000)
/** Events of one append, and of one step of the work. */
const BATCH = 1000
/** Events that one read of the log gives. */
const PAGE = 500
/**
 * Heap of the child in MB. It uses 18 of it to begin with, and a log of 100,000 events is some 125 as text alone. New
 * objects get little room, since V8 would rather let it grow to 96 MB than collect what nobody holds.
 */
const HEAP = 48
const NODE = [`--max-old-space-size=${HEAP}`, '--max-semi-space-size=4']
const MB = 1024 * 1024
/** Bytes by which the child may grow with any log, and the allowed difference between a long log and a short one. */
const GROWTH = 64 * MB
const MORE = 24 * MB

const WORDS = 'Something of ordinary length that was said or done. '.repeat(30)

/** Events of every sort: each of its turns is a message, a call, its result, and the answer. */
function turns(count: number, batch: number): EventInput[] {
  return Array.from({ length: count }, (_, i): EventInput => {
    const id = `call ${batch} ${Math.floor(i / 5)}`
    switch (i % 5) {
      case 0:
        return { type: 'user_message', content: `${i}: ${WORDS}`, occurredAt: '2026-03-01T12:00:00+01:00' }
      case 1:
        return { type: 'tool_call', parts: { id, name: 'read', arguments: { path: `src/${i}.ts` } } }
      case 2:
        return { type: 'tool_result', content: WORDS, parts: { toolCallId: id, isError: false } }
      case 3:
        return { type: 'model_message', content: WORDS, agentId: 'coach' }
      default:
        return { type: 'x.seen', parts: { grüße: 'ä\u2028', list: [1, 2.5, null], text: WORDS } }
    }
  })
}

/** An ended session of so many events. */
async function ended(target: OpenOptions, events: number): Promise<Session['id']> {
  const tl = await open(target)
  const session = await tl.sessions.create({ userId: 'ada', task: 'A long one' })
  const steps = Math.ceil(events / BATCH)
  // the first event is the start, the last the end, and each batch has one for its step
  for (let left = events - 2, step = 1; left > 0; left -= BATCH, step++) {
    const count = Math.min(BATCH, left) - 1
    await session.append(turns(count, step))
    session.observe.fileRead({ path: `src/${step}.ts` })
    session.observe.fileWrite({ path: 'src/all.ts', content: `step ${step} of ${steps}` })
    session.observe.command({ command: 'npm test', exitCode: step === steps ? 0 : 1, output: WORDS })
    session.observe.note(`Decision: number ${step}`)
    await session.flushStep()
  }
  const { head } = await session.end()
  expect(head).toBe(events)
  await tl.close()
  return session.id
}

/** Compacts in a process of little memory, and looks at the commit and at what was told on the way. */
async function compacted(target: OpenOptions, events: number): Promise<Compacted> {
  const sessionId = await ended(target, events)
  const child = startChild(CHILD, { target, sessionId } satisfies CompactJob, NODE)
  const { lines, killed } = await child.done
  expect(killed).toBe(false)
  const told = lines[0] as Compacted
  const pages = upTo(Math.ceil(events / PAGE))
  expect(told.progress).toEqual(pages.map((page) => ({ events: Math.min(page * PAGE, events), of: events })))

  const tl = await open(target)
  const session = await tl.sessions.get(sessionId)
  const commit = await session.compact()
  const range = { from: 1, to: events }
  expect(commit).toMatchObject({ range, hash: await commitHash(session, range), task: 'A long one', kind: 'normal' })
  const steps = Math.ceil((events - 2) / BATCH)
  expect(commit.decisions).toEqual(upTo(steps).map((n) => `number ${n}`))
  expect(commit.filesRead).toEqual(upTo(steps).map((n) => `src/${n}.ts`))
  expect(commit.filesWritten).toMatchObject([{ path: 'src/all.ts' }])
  expect(commit.commands).toEqual([{ command: 'npm test', exitCode: 0 }])
  expect((await session.record()).head).toBe(events + 1)
  await tl.close()
  return told
}

async function flat(store: string, target: OpenOptions): Promise<void> {
  const few = await compacted(target, FEW)
  const many = await compacted(target, EVENTS)
  const told = ({ seconds, growth }: Compacted) => `${seconds.toFixed(2)} s, + ${(growth / MB).toFixed(0)} MB`
  printFigure(
    `compact on ${store}: ${FEW.toLocaleString('en')} events ${told(few)}; ` +
      `${EVENTS.toLocaleString('en')} events ${told(many)}, in a heap of ${HEAP} MB`,
  )
  expect(many.growth).toBeLessThan(GROWTH)
  if (isProving) expect(many.growth - few.growth).toBeLessThan(MORE)
}

it('compacts a long session in little memory, on SQLite', { timeout: 900_000 }, async () => {
  await withDatabaseFile((path) => flat('sqlite', { url: `sqlite:${path}`, durability: 'relaxed' }))
})

describe.each(inject('postgres').slice(0, 1))('on $name', ({ name, url }) => {
  let databases: Databases
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())

  it('compacts a long session in little memory', { timeout: 900_000 }, async () => {
    const database = await databases.create()
    await flat(name, { url: database.url(SERVING) })
    await database.destroy()
  })
})
