import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import type { Word } from './guardian.ts'

/** How long a process may take to end before it is killed, in milliseconds. */
const PATIENCE = 5000

interface Guarded {
  end: NodeJS.Signals
  /** Tells it from a later process of the same id. */
  born: string
}

const processes = new Map<number, Guarded>()
const folders = new Set<string>()

for await (const line of createInterface({ input: process.stdin })) {
  const word = JSON.parse(line) as Word
  if ('runs' in word) {
    const born = birthOf(word.runs)
    if (born !== undefined) processes.set(word.runs, { end: word.end, born })
  }
  if ('ended' in word) processes.delete(word.ended)
  if ('made' in word) folders.add(word.made)
  if ('removed' in word) folders.delete(word.removed)
}

// whoever started them has ended
await Promise.all([...processes].map(([pid, guarded]) => ended(pid, guarded)))
for (const folder of folders) await rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })

async function ended(pid: number, { end, born }: Guarded): Promise<void> {
  const deadline = performance.now() + PATIENCE
  // one that was stopped does not hear other signals
  for (const signal of [end, 'SIGCONT'] as const) send(pid, born, signal)
  while (birthOf(pid) === born) {
    if (performance.now() > deadline) send(pid, born, 'SIGKILL')
    await delay(20)
  }
}

function send(pid: number, born: string, signal: NodeJS.Signals): void {
  try {
    if (birthOf(pid) === born) process.kill(pid, signal)
  } catch {
    // it ended between the two
  }
}

/** When a process was started, as the system tells it; `undefined` where it has ended. */
function birthOf(pid: number): string | undefined {
  try {
    if (!existsSync('/proc/self/stat')) {
      return execFileSync('ps', ['-o', 'lstart=', '-p', `${pid}`], { encoding: 'utf8' }).trim() || undefined
    }
    // behind the name, which may hold anything: the state is the first field, the start the twentieth
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? []
    return fields[0] === 'Z' ? undefined : fields[19]
  } catch {
    return undefined
  }
}
