import { modelMessageSchema } from 'ai'
import { describe, expect, inject, it } from 'vitest'
import { FORMATS, MESSAGE_FORMATS } from '../../src/domain/formats/formats.ts'
import { NO_RESULT } from '../../src/domain/formats/pairing.ts'
import { open, type Session, type Throughline } from '../../src/index.ts'
import { amount, firstInShortRun, isProving, printFigure, withDatabaseFile } from '../proof.ts'
import { type Child, startChild } from '../servers/child-process.ts'
import { databasesOf, SERVING } from '../servers/database.ts'
import { startServeProcess } from '../servers/serve-process.ts'
import type { SignalLine, SignalsJob } from './run-signals-child.ts'

const CHILD = new URL('./run-signals-child.ts', import.meta.url)

/** Runs at a time. */
const AT_ONCE = 10
const ROUNDS = amount(1, 10)

type Stopping = (session: Session) => Promise<unknown>

const STOPS: readonly (readonly [reason: string, stop: Stopping])[] = [
  ['cancelled', (session) => session.cancel({ reason: 'enough' })],
  ['interrupted', (session) => session.interrupt('wait')],
  ['aborted', (session) => session.abort('enough')],
]

/** The line about this session that the worker prints sooner or later. */
async function lineOf(worker: Child, id: string, is: SignalLine['is']): Promise<SignalLine> {
  for (;;) {
    const seen = worker.lines.length
    const found = (worker.lines as SignalLine[]).find((line) => line.sessionId === id && line.is === is)
    if (found !== undefined) return found
    await worker.printed(seen + 1)
  }
}

/** Stops one run. Returns the milliseconds from the return of the call until the signal fired. */
async function stopOne(tl: Throughline, worker: Child, reason: string, stop: Stopping): Promise<number> {
  const session = await tl.sessions.create({ userId: 'ada' })
  await session.append({ type: 'user_message', content: 'look' })
  await lineOf(worker, session.id, 'begun')
  await stop(session)
  const called = performance.timeOrigin + performance.now()
  const fired = await lineOf(worker, session.id, 'fired')
  expect(fired).toMatchObject({ reason })
  await lineOf(worker, session.id, 'ended')
  await checkMessages(session, reason)
  // it may fire before the call returns
  return fired.is === 'fired' ? Math.max(0, fired.at - called) : 0
}

/** The next context is valid in every format, and the call that nobody will answer has a result. */
async function checkMessages(session: Session, reason: string): Promise<void> {
  const first = (await session.runs()).find(({ generation }) => generation === 1)
  expect(first?.outcome).toBe(reason === 'aborted' ? undefined : reason)
  // an ended session has no next context: its log stays as it was
  if (reason !== 'aborted') {
    const results = await session.events({ types: ['tool_result'] })
    expect(results.map(({ parts }) => parts)).toMatchObject([{ toolCallId: 'a' }, { toolCallId: 'b', cancelled: true }])
    expect((await session.recent()).dangling).toEqual([])
    const { messages } = await session.context({ maxTokens: 1000 })
    expect(JSON.stringify(messages)).not.toContain(NO_RESULT)
  }
  for (const format of MESSAGE_FORMATS) {
    const messages = FORMATS[format].from(await session.messages({ format }))
    const open = new Set(messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ id }) => id)))
    for (const { toolCallId } of messages) if (toolCallId !== undefined) expect(open.delete(toolCallId)).toBe(true)
    if (reason !== 'aborted') expect([...open]).toEqual([])
  }
  for (const message of await session.messages({ format: 'ai-sdk' })) modelMessageSchema.parse(message)
}

/** The value that so many percent of the sorted values do not exceed. */
function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return Math.round(sorted[Math.ceil((percent / 100) * sorted.length) - 1] ?? 0)
}

async function prove(name: string, url: string, isServed: boolean): Promise<void> {
  const server = isServed ? await startServeProcess({ THROUGHLINE_URL: url }) : undefined
  const target = server?.url ?? url
  const tl = await open(target)
  const worker = startChild(CHILD, { target, runs: AT_ONCE } satisfies SignalsJob)
  try {
    for (const [reason, stop] of STOPS) {
      const times: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const all = Array.from({ length: AT_ONCE }, () => stopOne(tl, worker, reason, stop))
        times.push(...(await Promise.all(all)))
      }
      printFigure(
        `signals on ${name}${isServed ? ' behind a server' : ''}, ${reason}: ${times.length} fired, ` +
          `p50 ${percentile(times, 50)} ms, p99 ${percentile(times, 99)} ms after the call`,
      )
    }
    expect((await tl.verify()).differences).toEqual([])
    worker.go()
    await worker.done
  } finally {
    worker.kill()
    await tl.close()
    server?.stop()
    await server?.ended
  }
}

const options = { timeout: 600_000, concurrent: !isProving }
const paths = (short: boolean) => (isProving ? [false, true] : [short])

describe('a run in another process hears that it has to stop', () => {
  it.each(paths(false))('on sqlite; behind a server: %s', options, async (isServed) => {
    await withDatabaseFile(async (file) => prove('sqlite', `sqlite:${file}`, isServed))
  })

  describe.each(firstInShortRun(inject('postgres')))('on $name', ({ name, url }) => {
    it.each(paths(true))('behind a server: %s', options, async (isServed) => {
      const databases = await databasesOf(url)
      const database = await databases.create()
      try {
        await prove(name, database.url(SERVING), isServed)
      } finally {
        await database.destroy()
        await databases.close()
      }
    })
  })
})
