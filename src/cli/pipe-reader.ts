import { fstatSync, lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'

/** How often to look, in milliseconds. */
const POLL_MS = 300
/** Of the symbolic link to an open file: it is open for reading. */
const READABLE = 0o400

/**
 * Calls `left` once nobody reads the pipe that stdout is: a write would say so, but what follows a log may not write for hours, and
 * `| head -3` should end. Node cannot ask the pipe itself, so this looks which processes of the same session of the shell have it open; on
 * Linux alone, and only where the reader could be seen at first. Gives a function that ends the looking.
 */
export function onReaderExit(left: () => void): () => void {
  const pipe = process.platform === 'linux' ? pipeOfStdout() : undefined
  let readers = pipe === undefined ? [] : findReaders(pipe)
  if (pipe === undefined || readers.length === 0) return () => {}
  const timer = setInterval(() => {
    readers = readers.filter((path) => isStillOpen(path, pipe))
    // a reader may have handed it on
    if (readers.length === 0) readers = findReaders(pipe)
    if (readers.length > 0) return
    clearInterval(timer)
    left()
  }, POLL_MS)
  return () => clearInterval(timer)
}

function pipeOfStdout(): string | undefined {
  const stdout = attempt(() => fstatSync(1))
  return stdout?.isFIFO() ? `pipe:[${stdout.ino}]` : undefined
}

/** Paths below `/proc` where processes of our session have the pipe open for reading. Those of other users cannot be seen. */
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

/** What is there now may be gone a moment later. */
function attempt<T>(look: () => T): T | undefined {
  try {
    return look()
  } catch {
    return undefined
  }
}

/** Session of the shell that a process belongs to; `undefined` once it has ended. */
function shellSessionOf(pid: string): string | undefined {
  // the name of the program, in parentheses, may hold blanks: state, parent, group and session follow it
  return attempt(() => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[3])
}

/** Also if it may no longer be looked at: then the process is there, as another user. */
function isStillOpen(path: string, pipe: string): boolean {
  try {
    return readlinkSync(path) === pipe
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES'
  }
}
