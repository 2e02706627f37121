import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type OpenOptions, open, type Session, type Throughline } from '../../src/index.ts'
import { expectError } from '../../src/stores/conformance/samples.ts'
import { commitHash } from '../commit-hash.ts'
import { amount, isProving, printFigure } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import type { Fault } from './lifecycle-faults-child.ts'
import { KEY, OPERATIONS, type Operation } from './lifecycle-operations.ts'

const CHILD = new URL('./lifecycle-faults-child.ts', import.meta.url)
/** Tests every n-th fault point, and the last two, which surround the commit of a step. */
const EVERY = amount(40, 1)
const NAMES = isProving ? Object.keys(OPERATIONS) : ['ask', 'answer', 'propose', 'confirm', 'compact']
const USER = { userId: 'ada' }

/** A store for a child that will be killed. */
interface Place {
  target: OpenOptions
  /** Waits until the database has finished the work of a killed child. */
  settled(): Promise<void>
  /** Whether a fault point is the same moment in every run; overlapping statements may shift it by one. */
  exact: boolean
}

/** The stored data of a session. */
async function contentOf(session: Session) {
  const [record, state, events, messages, graph] = await Promise.all([
    session.record(),
    session.state(),
    session.events({ limit: 500 }),
    session.messages(),
    session.graph({ limit: 500 }),
  ])
  return { record, state, events, messages, graph }
}

type Content = Awaited<ReturnType<typeof contentOf>>

/** A session with some work in the state that the operation needs, after another session with a commit. */
async function prepared(tl: Throughline, { before }: Operation): Promise<{ session: Session; old: Content }> {
  const first = await tl.sessions.create(USER)
  const { conversationId } = await first.record()
  await first.abort('Another first.')
  const session = await tl.sessions.create({ ...USER, conversationId, task: 'Write the parser' })
  await session.append([
    { type: 'user_message', content: 'Write the parser' },
    { type: 'model_message', content: 'I look around.' },
  ])
  session.observe.fileRead({ path: 'src/lexer.ts' })
  await session.flushStep()
  await before?.(session)
  return { session, old: await contentOf(session) }
}

/** Checks that everything of a step was appended once. @returns whether its commit exists too */
function checkStep(old: Content, now: Content, { step, commits }: Operation, observed: boolean): boolean {
  const events = now.events.slice(old.events.length)
  expect(now.events.slice(0, old.events.length)).toEqual(old.events)
  const committed = events.at(-1)?.type === 'session_compacted'
  if (step === undefined) {
    expect(events.map(({ type }) => type)).toEqual(['session_compacted'])
    expect(now.record.status).toEqual(old.record.status)
    return true
  }
  const { status, note, said } = step
  const [kind, text] = note
  const types = [...(said ? [said[0]] : []), 'work_committed', 'status_changed']
  expect(events.map(({ type }) => type)).toEqual(committed && commits ? [...types, 'session_compacted'] : types)
  const work = events.find(({ type }) => type === 'work_committed')
  const last = old.events.findLast(({ type }) => type === 'work_committed')?.parts as { id: string } | undefined
  const seen = [
    { kind: 'fileWrite', path: 'src/parser.ts' },
    { kind: 'note', text: 'Decision: by hand' },
  ]
  expect(work?.parts).toMatchObject({
    kind,
    parents: [last?.id],
    observations: [...(observed ? seen : []), { kind: 'note', about: kind, text }],
  })
  const changed = events.find(({ type }) => type === 'status_changed')
  const asked = status['state'] === 'awaiting_user' ? { askedAt: changed?.createdAt } : {}
  expect(now.record.status).toEqual({ ...status, ...asked })
  expect(changed?.parts).toEqual({ status: now.record.status })
  const words = said ? [{ role: said[0] === 'user_message' ? 'user' : 'assistant', content: said[1] }] : []
  expect(now.messages.slice(0, old.messages.length)).toEqual(old.messages)
  expect(now.messages.slice(old.messages.length)).toMatchObject(words)
  expect(now.messages).toHaveLength(old.messages.length + words.length)
  checkEdges(old, now, work?.sequence ?? 0, observed)
  return committed
}

/** The relations of the work commit are there, each with the one event that shows it. */
function checkEdges(old: Content, now: Content, sequence: number, observed: boolean): void {
  const known = new Set(old.graph.edges.map((edge) => JSON.stringify(edge)))
  const added = now.graph.edges.filter((edge) => !known.has(JSON.stringify(edge)))
  expect(now.graph.edges).toHaveLength(old.graph.edges.length + added.length)
  const labels = observed ? ['decidedIn', 'mentions', 'mentions', 'updatedIn'] : ['mentions']
  expect(added.map(({ label }) => label).sort()).toEqual(labels)
  for (const edge of added) expect(edge.evidence).toMatchObject([{ sequence }])
}

/** Checks what `resume` says for the stored status; it writes nothing. */
async function checkResume(tl: Throughline, { record }: Content): Promise<void> {
  const { status, conversationId, id } = record
  const { plan, say, session } = await tl.conversations.resume(conversationId, USER)
  const texts = { awaiting_user: 'question', pending_complete: 'summary', interrupted: 'userMessage' } as const
  const plans = {
    running: 'show_progress',
    awaiting_user: 'ask_again',
    interrupted: 'repeat_interruption',
    pending_complete: 'present_summary',
    complete: 'new_task',
    aborted: 'new_task',
  } as const
  expect(plan).toBe(plans[status.state])
  expect(session?.id).toBe(plan === 'new_task' ? undefined : id)
  if (status.state in texts) {
    const field = texts[status.state as keyof typeof texts]
    expect(say).toContain((status as unknown as Record<string, string>)[field])
  }
}

/** Checks that the session has exactly one commit, the second of its conversation, over all earlier events. */
async function checkCommit(tl: Throughline, session: Session): Promise<void> {
  const commit = await session.compact()
  expect(await session.compact('Other words')).toEqual(commit)
  const { events, record } = await contentOf(session)
  expect(events.filter(({ type }) => type === 'session_compacted')).toHaveLength(1)
  expect(events.at(-1)).toMatchObject({ type: 'session_compacted', sequence: record.head })
  const range = { from: 1, to: record.head - 1 }
  expect(commit).toMatchObject({ position: 2, range, hash: await commitHash(session, range), task: 'Write the parser' })
  const { items } = await tl.conversations.commits(record.conversationId)
  expect(items).toHaveLength(2)
  expect(items[1]).toEqual(commit)
  expect(commit.parent).toBe(items[0]?.id)
}

/** How far an operation got: nothing stored, its step without the commit, or both. */
type Progress = 'old' | 'uncommitted' | 'new'
const ORDER: readonly Progress[] = ['old', 'uncommitted', 'new']

async function checkCrash(tl: Throughline, session: Session, old: Content, operation: Operation): Promise<Progress> {
  expect((await tl.verify()).differences).toEqual([])
  const now = await contentOf(session)
  let progress: Progress = 'old'
  if (now.record.head === old.record.head) expect(now).toEqual(old)
  else progress = checkStep(old, now, operation, true) === (operation.commits === true) ? 'new' : 'uncommitted'
  await checkResume(tl, now)
  expect(await contentOf(session)).toEqual(now)
  if (progress !== 'old' && operation.commits) await checkCommit(tl, session)
  return progress
}

/** Repeats the operation: with its key it takes effect once, without it is refused or returns the existing result. */
async function checkRepeat(tl: Throughline, session: Session, old: Content, operation: Operation, progress: Progress) {
  await operation.call(session, { idempotencyKey: KEY })
  const now = await contentOf(session)
  // buffered observations died with the process
  expect(checkStep(old, now, operation, progress !== 'old')).toBe(operation.commits === true)
  if (operation.step !== undefined) await expectError('INVALID_TRANSITION', operation.call(session))
  if (operation.commits) await checkCommit(tl, session)
  expect(await contentOf(session)).toEqual(now)
  await checkResume(tl, now)
  expect((await tl.verify(session.id)).differences).toEqual([])
}

/** Runs the operation in a child that dies at the fault point, and checks what it left. */
async function driven({ target, settled }: Place, name: string, at: number) {
  const operation = OPERATIONS[name] as Operation
  const before = await open(target)
  const { session: made, old } = await prepared(before, operation)
  await before.close()
  const fault: Fault = { target, sessionId: made.id, operation: name, at }
  const { lines, killed } = await startChild(CHILD, fault).done
  await settled()
  const tl = await open(target)
  const session = await tl.sessions.get(made.id)
  const progress = await checkCrash(tl, session, old, operation)
  if (!killed) expect(progress).toBe('new')
  await checkRepeat(tl, session, old, operation, progress)
  await tl.close()
  return { progress, points: killed ? undefined : (lines[0] as { points: number }).points }
}

/** Tests the fault points of an operation one by one, until none is left. */
async function drive(place: Place, store: string, name: string): Promise<void> {
  const { points: count = 0 } = await driven(place, name, 0)
  expect(count).toBeGreaterThan(4)
  const reached: Progress[] = []
  for (let at = 1; ; at += at < count - 1 ? Math.min(EVERY, count - 1 - at) : 1) {
    const { progress, points } = await driven(place, name, at).catch((cause: unknown) => {
      throw new Error(`${name}: fault point ${at} of ${count}: ${(cause as Error).message}`, { cause })
    })
    if (points !== undefined) break
    reached.push(progress)
  }
  expect(reached[0]).toBe('old')
  expect(reached.at(-1)).toBe('new')
  // once stored it is stored at every later point
  if (place.exact) expect(reached).toEqual(reached.toSorted((a, b) => ORDER.indexOf(a) - ORDER.indexOf(b)))
  const [old, uncommitted, all] = ORDER.map((progress) => reached.filter((one) => one === progress).length)
  const between = uncommitted === 0 ? '' : `${uncommitted} the new one before its commit, which was made later, `
  printFigure(
    `${name} on ${store}: killed at ${reached.length} of ${Math.max(count, reached.length)} fault points: ` +
      `${old} left the old state, ${between}${all} the new one, none anything else`,
  )
}

describe('a crash at any step of a session’s life, on SQLite', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.concurrent.each(NAMES)('leaves the old state or the new: %s', { timeout: 900_000 }, async (name) => {
    const target = { url: `sqlite:${join(folder, name)}.db`, durability: 'relaxed' } as const
    await drive({ target, settled: async () => {}, exact: true }, 'sqlite', name)
  })
})

describe.each(isProving ? inject('postgres').slice(0, 1) : [])('the same on $name', ({ name: store, url }) => {
  let databases: Databases
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())

  it.concurrent.each(NAMES)('leaves the old state or the new: %s', { timeout: 900_000 }, async (name) => {
    const database = await databases.create()
    const others = `
      select count(*)::integer as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
    const settled = async () => {
      while ((await database.admin(others))[0]?.['n'] !== 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await drive({ target: { url: database.url(SERVING) }, settled, exact: false }, store, name)
    await database.destroy()
  })
})
