import { setTimeout as delay } from 'node:timers/promises'
import { expect } from 'vitest'
import { type OpenOptions, open, type SessionEvent, type Throughline } from '../../src/index.ts'
import { amount, isProving } from '../proof.ts'
import { type Child, startChild } from '../servers/child-process.ts'
import type { RunWorkerJob, RunWorkerLine } from './run-worker-child.ts'

const CHILD = new URL('./run-worker-child.ts', import.meta.url)

const STEPS = 10
const SESSIONS = amount(12, 200)
const WORKERS = amount(3, 8)
const LEASE = 1500
/** Milliseconds between two faults of the long form. */
const PAUSE = 500
const HOUR = 3_600_000
/** Clocks of hosts whose store tells the time. */
const WRONG_CLOCKS = [0, 7 * HOUR, -5 * HOUR]

/** What happened to the workers. */
export interface Faults {
  kills: number
  stops: number
  seconds: number
  takeovers: number
  events: number
}

/** A store, as the test and as its workers open it. */
export interface RunTarget {
  url: string
  workers: string | OpenOptions
  /** Whether the clocks of the workers' hosts may be wrong: the clock of SQLite is that of the host. */
  mayMoveClocks: boolean
}

/** Workers that start again whenever they are killed. */
class Pool {
  readonly #target: RunTarget
  readonly #workers: Child[] = []
  readonly #ended: Promise<unknown>[] = []
  #started = 0

  constructor(target: RunTarget) {
    this.#target = target
    for (let i = 0; i < WORKERS; i++) this.#start()
  }

  get all(): readonly Child[] {
    return this.#workers
  }

  #start(place = this.#workers.length): void {
    const n = this.#started++
    const clockMs = this.#target.mayMoveClocks ? (WRONG_CLOCKS[n % WRONG_CLOCKS.length] ?? 0) : 0
    const job = { target: this.#target.workers, name: `worker ${n}`, steps: STEPS, ttlMs: LEASE, clockMs }
    const child = startChild(CHILD, job satisfies RunWorkerJob)
    this.#workers[place] = child
    this.#ended.push(child.done)
  }

  replace(worker: Child): void {
    worker.kill()
    this.#start(this.#workers.indexOf(worker))
  }

  /** Rejects if a worker failed. */
  async end(): Promise<void> {
    for (const worker of this.#workers) worker.go()
    await Promise.all(this.#ended)
  }

  /** Rejects as soon as a worker fails. */
  async failed(): Promise<void> {
    for (const worker of this.#workers) {
      await Promise.race([worker.done, delay(0)])
    }
  }
}

async function isFinished(tl: Throughline, id: string): Promise<boolean> {
  const [last] = await (await tl.sessions.get(id)).runs()
  return last?.outcome === 'completed'
}

/** Calls `look` until it is true. Nothing tells the test what a worker did, since it may be killed before it prints. */
async function until(pool: Pool, look: () => Promise<boolean>): Promise<void> {
  while (!(await look())) {
    await pool.failed()
    await delay(50)
  }
}

/** Creates a session, waits until a worker is in the middle of it, and calls `act` with that worker. */
async function inSession(
  tl: Throughline,
  pool: Pool,
  act: (worker: Child) => void,
): Promise<RunWorkerLine & { worker: Child }> {
  const { id } = await tl.sessions.create({ userId: 'ada' })
  let found: (RunWorkerLine & { worker: Child }) | undefined
  const look = () => {
    for (const worker of pool.all) {
      const line = worker.lines.at(-1) as RunWorkerLine | undefined
      if (line?.sessionId === id) found ??= { ...line, worker }
    }
    return found !== undefined
  }
  while (!look()) {
    await pool.failed()
    await Promise.race(pool.all.map((worker) => worker.printed(worker.lines.length + 1)))
  }
  const there = found as unknown as RunWorkerLine & { worker: Child }
  act(there.worker)
  return there
}

/**
 * Stops a worker until its session has another run, which begins when its lease has expired. A worker that was stopped
 * in the middle of a write to SQLite holds up all others, so it goes on after a while; then another one is stopped.
 */
async function stopOne(tl: Throughline, pool: Pool, ids: string[]): Promise<void> {
  for (let isTaken = false; !isTaken; ) {
    const { sessionId, generation, worker } = await inSession(tl, pool, (one) => one.pause())
    ids.push(sessionId)
    const session = await tl.sessions.get(sessionId)
    const latest = performance.now() + 4 * LEASE
    await until(pool, async () => {
      const [last] = await session.runs()
      isTaken = last?.generation !== generation
      // it may have finished before it stopped
      return isTaken || last?.outcome !== undefined || performance.now() > latest
    })
    worker.resume()
  }
}

/** A few faults, each when a worker is in the middle of a session. */
async function fewFaults(tl: Throughline, pool: Pool, ids: string[]): Promise<{ kills: number; stops: number }> {
  for (let kill = 0; kill < 2; kill++) {
    ids.push((await inSession(tl, pool, (worker) => pool.replace(worker))).sessionId)
  }
  await stopOne(tl, pool, ids)
  return { kills: 2, stops: 1 }
}

/** Faults at any moment, as long as there is work. */
async function manyFaults(pool: Pool, isDone: () => Promise<boolean>): Promise<{ kills: number; stops: number }> {
  let [kills, stops] = [0, 0]
  const paused = new Map<Child, Promise<void>>()
  const anyWorker = () => {
    const running = pool.all.filter((worker) => !paused.has(worker) && worker.lines.length > 0)
    return running[Math.floor(Math.random() * running.length)]
  }
  while (!(await isDone())) {
    await pool.failed()
    await delay(PAUSE)
    const victim = anyWorker()
    if (victim !== undefined) {
      pool.replace(victim)
      kills++
    }
    const sleeper = paused.size < WORKERS / 4 ? anyWorker() : undefined
    if (sleeper === undefined) continue
    sleeper.pause()
    stops++
    const resumed = delay(LEASE * (1.2 + Math.random())).then(() => {
      sleeper.resume()
      paused.delete(sleeper)
    })
    paused.set(sleeper, resumed)
  }
  await Promise.all(paused.values())
  return { kills, stops }
}

/** Lets workers work on sessions while they are killed and stopped, and checks every log. */
export async function proveWorkers(target: RunTarget): Promise<Faults> {
  const tl = await open(target.url)
  const ids: string[] = []
  for (let i = 0; i < SESSIONS; i++) ids.push((await tl.sessions.create({ userId: `user ${i % 5}` })).id)
  const start = performance.now()
  const pool = new Pool(target)
  let left: readonly string[] = ids
  const isDone = async () => {
    const states = await Promise.all(left.map(async (id) => [id, await isFinished(tl, id)] as const))
    left = states.flatMap(([id, done]) => (done ? [] : [id]))
    return left.length === 0
  }
  try {
    const faults = isProving ? await manyFaults(pool, isDone) : await fewFaults(tl, pool, ids)
    await until(pool, isDone)
    const seconds = (performance.now() - start) / 1000
    await pool.end()
    let takeovers = 0
    let events = 0
    for (const id of ids) {
      const log = await logOf(tl, id)
      takeovers += checkLog(log)
      events += log.length
    }
    expect((await tl.verify()).differences).toEqual([])
    return { ...faults, seconds, takeovers, events }
  } finally {
    for (const worker of pool.all) worker.kill()
    await tl.close()
  }
}

async function logOf(tl: Throughline, id: string): Promise<SessionEvent[]> {
  const session = await tl.sessions.get(id)
  const log: SessionEvent[] = []
  for (let after = 0; ; ) {
    const page = await session.events({ after, limit: 500 })
    if (page.length === 0) return log
    log.push(...page)
    after = page.at(-1)?.sequence ?? 0
  }
}

/** Checks one log. Returns how many of its runs were taken over. */
function checkLog(log: readonly SessionEvent[]): number {
  const label = log[0]?.sessionId ?? ''
  expect(
    log.map(({ sequence }) => sequence),
    label,
  ).toEqual(log.map((_, i) => i + 1))
  let generation = 0
  let isLive = false
  let lost = 0
  const recorded: string[] = []
  for (const { type, content, parts } of log) {
    const written = parts as { generation: number; outcome?: string; result?: { generation: number } }
    if (type === 'run_started') {
      // dense, and never beside another run
      expect([written.generation, isLive], label).toEqual([generation + 1, false])
      generation = written.generation
      isLive = true
    } else if (type === 'run_finished') {
      expect([written.generation, isLive], label).toEqual([generation, true])
      isLive = false
      if (written.outcome === 'lost') lost++
    } else if (type === 'x.work') {
      // a step that was never recorded may have been begun before, but none is begun again once it is
      expect([written.generation, isLive, recorded.includes(content)], label).toEqual([generation, true, false])
      expect(Number(content), label).toBe(recorded.length + 1)
    } else if (type === 'step_completed') {
      expect([written.result?.generation, isLive], label).toEqual([generation, true])
      recorded.push(content)
    }
  }
  expect(recorded, label).toEqual(Array.from({ length: STEPS }, (_, i) => `${i + 1}`))
  expect(isLive, label).toBe(false)
  expect(log.findLast(({ type }) => type === 'run_finished')?.parts, label).toMatchObject({ outcome: 'completed' })
  return lost
}
