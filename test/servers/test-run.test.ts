import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { type Child, startChild } from './child-process.ts'
import { endInterruptedRuns, isRunning, runFolder } from './test-run.ts'

interface Run extends Child {
  folder: string
  /** Of two Redis servers, the first of them stopped, a Postgres, and `throughline serve`. */
  pids: number[]
}

const runs: Run[] = []
afterEach(() => {
  for (const run of runs.splice(0)) run.kill()
})

async function startTestRun(): Promise<Run> {
  const child = startChild(new URL('test-run-child.ts', import.meta.url), dirname(runFolder()))
  await child.printed(1)
  const run = { ...child, ...(child.lines[0] as { folder: string; pids: number[] }) }
  runs.push(run)
  expect(run.pids.filter(isRunning)).toHaveLength(4)
  return run
}

/** Kills the watchdogs of a run, each known by the folder that it was given. */
function killWatchdogs({ folder }: Run): void {
  const processes = execFileSync('ps', ['-eo', 'pid=,args='], { encoding: 'utf8' }).split('\n')
  const watchdogs = processes.filter((line) => line.includes('watchdog.ts') && line.includes(folder))
  expect(watchdogs).toHaveLength(1)
  for (const line of watchdogs) process.kill(Number.parseInt(line, 10), 'SIGKILL')
}

it('ends the servers of a killed run at once, also a stopped one, and removes its folder', async () => {
  const run = await startTestRun()
  run.kill()
  await expect.poll(() => run.pids.filter(isRunning), { timeout: 20_000 }).toEqual([])
  await expect.poll(() => existsSync(run.folder), { timeout: 20_000 }).toBe(false)
})

it('ends at the next set-up the servers that a killed run left behind, and no others', async () => {
  const [killed, alive] = await Promise.all([startTestRun(), startTestRun()])
  killWatchdogs(killed)
  killed.kill()
  await killed.done
  expect(killed.pids.filter(isRunning)).toHaveLength(4)
  // its id now belongs to another process
  const reused = { owner: 1, pid: alive.pids[1], start: '1', signal: 'SIGKILL', command: 'redis-server' }
  appendFileSync(join(killed.folder, 'processes.jsonl'), `${JSON.stringify(reused)}\n`)

  await endInterruptedRuns()
  expect(killed.pids.filter(isRunning)).toEqual([])
  expect(existsSync(killed.folder)).toBe(false)
  expect(alive.pids.filter(isRunning)).toHaveLength(4)
  expect(existsSync(alive.folder)).toBe(true)
})
