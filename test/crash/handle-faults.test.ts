import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { type OpenOptions, type Outcome, open, type Resumed, type Throughline } from '../../src/index.ts'
import { amount, isProving, printFigure } from '../proof.ts'
import { startChild } from '../servers/child-process.ts'
import { type Databases, databasesOf, SERVING } from '../servers/database.ts'
import { CALLS, type Call, KEY, USER } from './handle-calls.ts'
import type { Fault } from './handle-faults-child.ts'

const CHILD = new URL('./handle-faults-child.ts', import.meta.url)
/** Tests every n-th fault point, and the last two. */
const EVERY = amount(96, 1)
const NAMES = isProving ? Object.keys(CALLS) : ['started', 'unclear_new_task', 'complete']

/** A store for a child that will be killed, and a way to wait until the database has finished its work. */
interface Place {
  target: OpenOptions
  settled(): Promise<void>
}

/** The whole conversation, with the names `before` and `next` instead of session ids. */
async function contentOf(tl: Throughline, conversationId: string, before: string | undefined) {
  const { items } = await tl.sessions.list({ ...USER, conversationId })
  const sessions = await Promise.all(
    items.map(async ({ id, task, status }) => {
      const events = await (await tl.sessions.get(id)).events({ limit: 500 })
      const said = events.map(({ type, content }) => ({ type, content }))
      return { name: id === before ? 'before' : 'next', task, state: status.state, said }
    }),
  )
  const commits = (await tl.conversations.commits(conversationId)).items.map(({ kind, position }) => ({
    kind,
    position,
  }))
  return { sessions: sessions.toSorted((a, b) => (a.name < b.name ? -1 : 1)), commits }
}

function named({ session, ended, ...rest }: Outcome | Resumed, before: string | undefined) {
  const name = (id: string | undefined) => id && (id === before ? 'before' : 'next')
  return { ...rest, session: name(session?.id), ended: name(ended?.id) }
}

/** The effect of a call: its result, and the conversation before and after. */
interface Done {
  outcome: ReturnType<typeof named>
  old: Awaited<ReturnType<typeof contentOf>>
  content: Awaited<ReturnType<typeof contentOf>>
}

type Progress = 'nothing' | 'a part' | 'all'

/** Runs the call in a child that dies at the fault point, then repeats it twice. */
async function driven({ target, settled }: Place, name: string, at: number, undisturbed?: Done) {
  const { before, call } = CALLS[name] as Call
  const conversation = `${name}-${at}`
  const first = await open(target)
  await before?.(first, conversation)
  const session = (await first.sessions.active({ ...USER, conversationId: conversation }))?.id
  const old = await contentOf(first, conversation, session)
  await first.close()
  const fault: Fault = { target, conversation, name, at }
  const { lines, killed } = await startChild(CHILD, fault).done
  await settled()
  const tl = await open(target)
  expect((await tl.verify()).differences).toEqual([])
  const left = await contentOf(tl, conversation, session)
  const send = async () => named(await call(tl, conversation, { idempotencyKey: KEY }), session)
  const outcome = await send()
  const content = await contentOf(tl, conversation, session)
  if (undisturbed !== undefined) expect({ outcome, old, content }).toEqual(undisturbed)
  expect(await send()).toEqual(outcome)
  expect(await contentOf(tl, conversation, session)).toEqual(content)
  if (!killed) expect(left).toEqual(content)
  expect((await tl.verify()).differences).toEqual([])
  await tl.close()
  const same = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
  const progress: Progress = same(left, old) ? 'nothing' : same(left, content) ? 'all' : 'a part'
  const points = killed ? undefined : (lines[0] as { points: number }).points
  return { done: { outcome, old, content }, progress, points }
}

/** Tests the fault points of a call one by one, until none is left. */
async function drive(place: Place, store: string, name: string): Promise<void> {
  // the first key in a store makes the secret that ids depend on, which would add fault points to one run only
  const tl = await open(place.target)
  await tl.conversations.handle(`${name} first key`, { ...USER, message: 'Plan a trip' }, { idempotencyKey: KEY })
  await tl.close()
  const { done, points: count = 0 } = await driven(place, name, 0)
  expect(count).toBeGreaterThan(4)
  expect(done.content).not.toEqual(done.old)
  const reached: Progress[] = []
  for (let at = 1; ; at += at < count - 1 ? Math.min(EVERY, count - 1 - at) : 1) {
    const { progress, points } = await driven(place, name, at, done).catch((cause: unknown) => {
      throw new Error(`${name}: fault point ${at} of ${count}: ${(cause as Error).message}`, { cause })
    })
    if (points !== undefined) break
    reached.push(progress)
  }
  expect(reached[0]).toBe('nothing')
  expect(reached.at(-1)).toBe('all')
  // several appends, so there are fault points between them
  if (isProving && name !== 'answer') expect(reached).toContain('a part')
  const left = (progress: Progress) => `${reached.filter((one) => one === progress).length} left ${progress}`
  printFigure(
    `${name} with a key on ${store}: killed at ${reached.length} of ${Math.max(count, reached.length)} fault points: ` +
      `${left('nothing')}, ${left('a part')}, ${left('all')}; sent again each was done once, with the same outcome`,
  )
}

describe('a crash in a message with a key, on SQLite', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  it.concurrent.each(NAMES)('is made up by the repeat: %s', { timeout: 900_000 }, async (name) => {
    const target = { url: `sqlite:${join(folder, name)}.db`, durability: 'relaxed' } as const
    await drive({ target, settled: async () => {} }, 'sqlite', name)
  })
})

describe.each(isProving ? inject('postgres').slice(0, 1) : [])('the same on $name', ({ name: store, url }) => {
  let databases: Databases
  beforeAll(async () => {
    databases = await databasesOf(url)
  })
  afterAll(() => databases.close())

  it.concurrent.each(NAMES)('is made up by the repeat: %s', { timeout: 900_000 }, async (name) => {
    const database = await databases.create()
    const others = `
      select count(*)::integer as n from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
    const settled = async () => {
      while ((await database.admin(others))[0]?.['n'] !== 0) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await drive({ target: { url: database.url(SERVING) }, settled }, store, name)
    await database.destroy()
  })
})
