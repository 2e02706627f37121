// A pool of workers that share the sessions of a store. Some are killed in the middle of their work; the others take
// over, and every step is done once. Set DATABASE_URL to run it on Postgres.
import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { open, type Run } from 'throughline'

const url = process.env['DATABASE_URL'] ?? 'sqlite:.throughline/worker-pool.db'
const [SESSIONS, STEPS, WORKERS, KILLS] = [12, 5, 4, 4]

/** A worker: claims a session that needs work, does it step by step, and claims the next. */
async function work(name: string): Promise<void> {
  const tl = await open(url)
  for (;;) {
    const run = await tl.claim({ worker: name, chatmode: 'pool', ttlMs: 1000 })
    try {
      await task(run)
      await run.finish()
    } catch (error) {
      // it is tried again after a while
      await run.fail(error)
    }
  }
}

/** The work on one session. A run that takes over gets the results of the steps that were done. */
async function task(run: Run): Promise<void> {
  for (let number = 1; number <= STEPS; number++) {
    await run.step(`step ${number}`, async () => {
      await new Promise((resolve) => setTimeout(resolve, 20))
      return number * number
    })
  }
}

/** Starts workers, kills some at random, and waits until every session is finished. */
async function main(): Promise<void> {
  const tl = await open({ url, migrate: true })
  const sessions = await Promise.all(
    Array.from({ length: SESSIONS }, (_, i) =>
      tl.sessions.create({ userId: 'ada', chatmode: 'pool', task: `Task ${i}` }),
    ),
  )
  const self = fileURLToPath(import.meta.url)
  let started = 0
  const start = () => fork(self, [`worker ${++started}`])
  const pool: ChildProcess[] = Array.from({ length: WORKERS }, start)

  let kills = 0
  for (let left = SESSIONS; left > 0; ) {
    await new Promise((resolve) => setTimeout(resolve, 100))
    const records = await Promise.all(sessions.map((session) => session.runs()))
    left = records.filter(([last]) => last?.outcome !== 'completed').length
    if (kills < KILLS) {
      const place = Math.floor(Math.random() * WORKERS)
      pool[place]?.kill('SIGKILL')
      pool[place] = start()
      kills++
    }
  }

  const steps = await Promise.all(sessions.map((session) => session.events({ types: ['step_completed'] })))
  const done = new Set(steps.flat().map(({ sessionId, content }) => `${sessionId} ${content}`))
  console.log(`${SESSIONS} sessions are finished, ${kills} workers were killed`)
  console.log(`${steps.flat().length} steps were recorded, ${done.size} different ones`)
  for (const session of sessions) await session.end()
  for (const worker of pool) worker.kill()
  await tl.close()
}

const [, , name] = process.argv
await (name === undefined ? main() : work(name))
