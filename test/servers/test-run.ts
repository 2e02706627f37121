import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

/**
 * A run of the tests has one folder for all temporary files, `throughline-run-PID-START-…`, and lists its processes
 * there. Whatever a killed run leaves behind is ended by its watchdog; if that was killed too, by the set-up of the
 * next run.
 */
const PREFIX = 'throughline-run-'

/** The environment variable that tells workers and children the folder of their run. */
const VARIABLE = 'THROUGHLINE_TEST_RUN'

/** How long a process may take to end before it is killed, in milliseconds. */
const PATIENCE = 5000

const WATCHDOG = fileURLToPath(new URL('watchdog.ts', import.meta.url))

interface TrackedProcess {
  /** The process that started it. */
  owner: number
  pid: number
  /** Distinguishes it from a later process with the same id. */
  start: string
  signal: NodeJS.Signals
  command: string
}

/**
 * Makes the folder of this run in `base`, and the place for temporary files. Once per process: later calls give the
 * same folder.
 */
export function startRun(base: string): string {
  const name = `${PREFIX}${process.pid}-${startTime(process.pid)}-`
  const current = process.env[VARIABLE]
  if (current !== undefined && basename(current).startsWith(name)) return current
  const folder = mkdtempSync(join(isOpenToAll(base) ? base : '/tmp', name))
  // Postgres runs as another user when root runs the tests, and must reach its data
  chmodSync(folder, 0o711)
  process.env[VARIABLE] = folder
  process.env['TMPDIR'] = folder
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  startWatchdog(folder)
  return folder
}

/**
 * Ends the processes of runs that were killed, and removes their folders. Runs that are alive, and those of other
 * users, are left alone.
 */
export async function endInterruptedRuns(): Promise<void> {
  const bases = new Set([dirname(runFolder()), '/dev/shm', '/tmp'])
  const folders = [...bases]
    .filter((base) => existsSync(base))
    .flatMap((base) => readdirSync(base).map((name) => join(base, name)))
    .filter((path) => basename(path).startsWith(PREFIX) && isMine(path) && !isAlive(path))
  for (const folder of folders) await endRun(folder)
}

/** Ends all processes of a run whose own process has ended, and removes its folder. */
export async function endRun(folder: string): Promise<void> {
  await Promise.all(trackedProcesses(folder).map(endProcess))
  await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

/** Ends the processes that one process of a run started. */
export async function endChildren(folder: string, owner: number): Promise<void> {
  await Promise.all(trackedProcesses(folder).map((one) => (one.owner === owner ? endProcess(one) : undefined)))
}

/** The id of the process that started a run. */
export function startedBy(folder: string): number {
  return Number.parseInt(basename(folder).slice(PREFIX.length), 10)
}

/** Whether the process that started a run still runs. */
export function isAlive(folder: string): boolean {
  const [, start] = basename(folder).slice(PREFIX.length).split('-')
  return startTime(startedBy(folder)) === start
}

/**
 * Lists a child, so that it does not outlive this process.
 *
 * @param signal what ends it: `SIGQUIT` for Postgres, which ends its backends too
 */
export function trackProcess<Child extends ChildProcess>(child: Child, signal: NodeJS.Signals = 'SIGKILL'): Child {
  const { pid, spawnargs } = child
  const start = pid === undefined ? undefined : startTime(pid)
  if (pid === undefined || start === undefined) return child
  const folder = runFolder()
  startWatchdog(folder)
  const entry: TrackedProcess = { owner: process.pid, pid, start, signal, command: spawnargs.join(' ').slice(0, 200) }
  appendFileSync(listOf(folder), `${JSON.stringify(entry)}\n`)
  return child
}

/** A new folder among the temporary files of this run. */
export function temporaryFolder(prefix: string): { path: string; remove(): void } {
  runFolder()
  const path = mkdtempSync(join(tmpdir(), prefix))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** The folder of this run; a process that belongs to none, such as a benchmark, starts one. */
export function runFolder(): string {
  return process.env[VARIABLE] ?? startRun(tmpdir())
}

/** When a process started, as the system tells it; `undefined` if it has ended. */
export function startTime(pid: number): string | undefined {
  try {
    if (!existsSync('/proc/self/stat')) {
      const text = execFileSync('ps', ['-o', 'lstart=', '-p', `${pid}`], { encoding: 'utf8' })
      return text.trim().replaceAll(/\W+/g, '_') || undefined
    }
    // after the name, which may hold anything: the state is the first field, the start the twentieth
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}

export const isRunning = (pid: number) => startTime(pid) !== undefined

const listOf = (folder: string) => join(folder, 'processes.jsonl')

function trackedProcesses(folder: string): TrackedProcess[] {
  if (!existsSync(listOf(folder))) return []
  const lines = readFileSync(listOf(folder), 'utf8').split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as TrackedProcess)
}

async function endProcess({ pid, start, signal }: TrackedProcess): Promise<void> {
  const deadline = performance.now() + PATIENCE
  // a stopped process acts on other signals only after SIGCONT
  for (const each of [signal, 'SIGCONT'] as const) send(pid, start, each)
  while (startTime(pid) === start) {
    if (performance.now() > deadline) send(pid, start, 'SIGKILL')
    await delay(20)
  }
}

function send(pid: number, start: string, signal: NodeJS.Signals): void {
  try {
    if (startTime(pid) === start) process.kill(pid, signal)
  } catch {
    // it ended between the two calls
  }
}

let watched: string | undefined

/**
 * In a process group of its own, so that signals to ours do not reach it. It acts when its input ends, which is when
 * this process ends.
 */
function startWatchdog(folder: string): void {
  if (watched === folder) return
  watched = folder
  const args = [WATCHDOG, folder, `${process.pid}`]
  const child = spawn(process.execPath, args, { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  child.once('error', () => {})
  child.stdin.on('error', () => {})
  child.unref()
  ;(child.stdin as unknown as { unref(): void }).unref()
}

const isMine = (path: string) => statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.()

/** Whether every user may enter a folder, which only root's tests need: they run servers as another user. */
function isOpenToAll(folder: string): boolean {
  if (process.getuid?.() !== 0) return true
  const isOpen = (statSync(folder).mode & 0o001) !== 0
  return isOpen && (dirname(folder) === folder || isOpenToAll(dirname(folder)))
}
