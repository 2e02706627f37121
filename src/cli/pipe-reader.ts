import { fstatSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

const POLL_MS = 300
/** Mode bit of a link in /proc/PID/fd: the file is open for reading. */
const READABLE = 0o400

/**
 * Calls `onExit` once no process reads the pipe on stdout. A write would fail then, but a command that follows a log
 * may not write for hours, and `| head -3` should end it. Node cannot query the pipe, so this polls which processes of
 * the same shell session have it open. Linux only, and only if it finds the reader at the start. Returns a stop
 * function.
 */
export function onReaderExit(onExit: () => void): () => void {
  const pipe = process.platform === 'linux' ? pipeOfStdout() : undefined
  let readers = pipe === undefined ? [] : findReaders(pipe)
  if (pipe === undefined || readers.length === 0) return () => {}
  const timer = setInterval(() => {
    readers = readers.filter((path) => isStillOpen(path, pipe))
    // the reader may have passed it to another process
    if (readers.length === 0) readers = findReaders(pipe)
    if (readers.length > 0) return
    clearInterval(timer)
    onExit()
  }, POLL_MS)
  return () => clearInterval(timer)
}

function pipeOfStdout(): string | undefined {
  const stdout = attempt(() => fstatSync(1))
  return stdout?.isFIFO() ? `pipe:[${stdout.ino}]` : undefined
}

/** Paths in `/proc` where processes of this shell session have the pipe open for reading, except other users'. */
function findReaders(pipe: string): string[] {
  const session = shellSessionOf('self')
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.filter((pid) => shellSessionOf(pid) === session).flatMap((pid) => readersIn(`/proc/${pid}/fd`, pipe))
}

function readersIn(folder: string, pipe: string): string[] {
  const isReader = (path: string) => readlinkSync(path) === pipe && (lstatSync(path).mode & READABLE) !== 0
  const files = attempt(() => readdirSync(folder)) ?? []
  return files.map((file) => `${folder}/${file}`).filter((path) => attempt(() => isReader(path)) ?? false)
}

/** Processes and files may disappear at any moment. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** Shell session of a process; `undefined` once it has ended. */
function shellSessionOf(pid: string): string | undefined {
  // "pid (name) state parent group session …"; the name may contain spaces
  return attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[3])
}

/** Counts a path that is no longer accessible as open: the process has changed its user. */
function isStillOpen(path: string, pipe: string): boolean {
  try {
    return readlinkSync(path) === pipe
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}
