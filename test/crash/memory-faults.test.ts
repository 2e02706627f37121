import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { uuid7 } from '../../src/ids.ts'
import type { Throughline } from '../../src/index.ts'
import { openOn } from '../../src/open/open.ts'
import type { Store } from '../../src/ports/store.ts'
import { expectError, readLog, upTo } from '../../src/stores/conformance/samples.ts'
import { memoryStore } from '../../src/stores/memory/index.ts'
import { isProving, printFigure } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { type Databases, databasesOf } from '../servers/database.ts'
import type { MemoryFault } from './memory-faults-child.ts'
import { type Content, contentOf, findInconsistencies, searchAll, wordsIn } from './memory-faults-content.ts'
import { CLOCK, OPERATIONS, type Operation, USER } from './memory-faults-operations.ts'
import { type FaultStore, postgresFaultStore, sqliteFaultStore } from './memory-faults-store.ts'

const CHILD = new URL('./memory-faults-child.ts', import.meta.url)
const NAMES = isProving ? Object.keys(OPERATIONS) : ['extract', 'index', 'contradict', 'purgeUser']

/** What there is before an operation and after it, where nothing disturbs it. */
interface Expected {
  words: string[]
  old: Content
  done: Content
  found: Awaited<ReturnType<typeof searchAll>>
}

const quiet = { clock: CLOCK, index: false, tokenizer: 'estimate' } as const

async function undisturbed({ prepare, call }: Operation): Promise<Expected> {
  const store = memoryStore(uuid7)
  const tl = openOn(store, quiet)
  await prepare(tl)
  const before = await wordsIn(store)
  await call(tl)
  const words = [...new Set([...before, ...(await wordsIn(store))])].sort()
  const done = await contentOf(store, words)
  const found = await searchAll(tl)
  await tl.users.purge(USER.userId)
  await prepare(tl)
  const old = await contentOf(store, words)
  await tl.close()
  return { words, old, done, found }
}

type Progress = 'old' | 'between' | 'new'
const ORDER: readonly Progress[] = ['old', 'between', 'new']

/** Nothing belongs to nothing, whatever the moment of the crash. A purge hides the whole index of the user first. */
async function checkSound(place: FaultStore, content: Content, isPurged = false): Promise<void> {
  const isHidden = isPurged && content.memoryIndex.postings.length === 0 && content.memoryIndex.counts.messages === 0
  expect(findInconsistencies(content, isHidden)).toEqual([])
  expect(await place.orphans()).toEqual([])
}

async function progressOf(content: Content, { old, done }: Expected, { steps = false }: Operation): Promise<Progress> {
  const isSame = (other: Content) => isDeepStrictEqual(content, other)
  if (isSame(done)) return 'new'
  if (!steps) expect(content).toEqual(old)
  return isSame(old) ? 'old' : 'between'
}

/** Sent again, twice, it is done once, as if nothing had happened. */
async function checkRepeat(tl: Throughline, operation: Operation, progress: Progress): Promise<void> {
  const { call, refusal } = operation
  if (refusal === undefined || progress !== 'new') await call(tl).catch(refusedAs(refusal))
  if (refusal === undefined) await call(tl)
  else await expectError(refusal, call(tl))
}

/** What was done but not told is refused when it is sent again. */
function refusedAs(code: string | undefined) {
  return (error: { code?: string }) => {
    if (code === undefined || error.code !== code) throw error
  }
}

async function logsOf(store: Store) {
  const ids = await store.sessionIds({ limit: 100, within: USER })
  return new Map(await Promise.all(ids.map(async (id) => [id, await readLog(store, id)] as const)))
}

/** Runs the operation in a child that dies at the fault point, and checks what it left. */
async function driven(place: FaultStore, name: string, expected: Expected, at: number) {
  const operation = OPERATIONS[name] as Operation
  const before = await place.connect()
  await operation.prepare(openOn(before, quiet))
  const logs = await logsOf(before)
  await before.close()
  const fault: MemoryFault = { target: place.target, operation: name, at }
  const { lines, killed } = await startChild(CHILD, fault).done
  await place.settled()

  const store = await place.connect()
  const tl = openOn(store, quiet)
  const crashed = await contentOf(store, expected.words)
  await checkSound(place, crashed, name === 'purgeUser')
  const progress = await progressOf(crashed, expected, operation)
  if (!killed) expect(crashed).toEqual(expected.done)
  await checkRepeat(tl, operation, progress)
  const content = await contentOf(store, expected.words)
  expect(content).toEqual(expected.done)
  await checkSound(place, content)
  expect(await place.unfinished()).toBe(0)
  expect(await searchAll(tl)).toEqual(expected.found)
  for (const [id, log] of await logsOf(store)) expect(log).toEqual(logs.get(id))
  expect((await tl.verify()).differences).toEqual([])
  await tl.users.purge(USER.userId)
  expect(await place.orphans()).toEqual([])
  await tl.close()
  return { progress, points: killed ? undefined : (lines[0] as { points: number }).points }
}

/** Of the fault points of an operation all, or a few that are spread over it. */
function pointsOf(count: number): number[] {
  return isProving ? upTo(count) : [1, Math.ceil(count * 0.45), Math.ceil(count * 0.9), count]
}

/** Drives the fault points of an operation one by one. */
async function drive(place: FaultStore, name: string): Promise<void> {
  const expected = await undisturbed(OPERATIONS[name] as Operation)
  const { points: count = 0 } = await driven(place, name, expected, 0)
  expect(count).toBeGreaterThan(4)
  const reached: Progress[] = []
  for (const at of pointsOf(count)) {
    const { progress } = await driven(place, name, expected, at).catch((cause: unknown) => {
      throw new Error(`${name}: fault point ${at} of ${count}: ${(cause as Error).message}`, { cause })
    })
    reached.push(progress)
  }
  expect(reached[0]).toBe('old')
  expect(reached.at(-1)).toBe('new')
  // once stored it is stored at every later point
  if (place.exact) expect(reached).toEqual(reached.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)))
  const [old, between, all] = ORDER.map((progress) => reached.filter((one) => one === progress).length)
  const some = between === 0 ? '' : `${between} some of its steps, each whole, `
  printFigure(
    `${name} on ${place.name}: killed at ${reached.length} of ${count} fault points: ` +
      `${old} left the old state, ${some}${all} the new one, none anything else`,
  )
}

describe('a crash at any step of remembering and indexing, on SQLite', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.concurrent.each(NAMES)('leaves what can be gone on with: %s', { timeout: 3_600_000 }, async (name) => {
    await drive(sqliteFaultStore(folder, name), name)
  })
})

describe.each(isProving ? inject('postgres').slice(0, 1) : [])('the same on $name', ({ name: store, url }) => {
  let databases: Databases
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())

  it.concurrent.each(NAMES)('leaves what can be gone on with: %s', { timeout: 3_600_000 }, async (name) => {
    const database = await databases.create()
    await drive(postgresFaultStore(store, database), name)
    await database.destroy()
  })
})
