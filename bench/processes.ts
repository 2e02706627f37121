import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

const LAST = availableParallelism() - 1

/**
 * Pins this process to the first core and a server to the others, as if they were two machines, or removes the
 * pinning. One caller and a server that take turns would otherwise sometimes share a core, and for a `select 1` that
 * is the difference between 40 and 150 µs. Does nothing where processes cannot be pinned.
 * @param server its first process; processes that it starts later inherit the pinning
 */
export function pinProcesses(server: number, apart: boolean): void {
  if (LAST === 0) return
  place(process.pid, apart ? '0' : `0-${LAST}`)
  place(server, apart ? `1-${LAST}` : `0-${LAST}`)
}

function place(pid: number, cores: string): void {
  spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, `${pid}`])
}

/** The parent of a process; undefined on systems that do not tell. */
export function parentOf(pid: number): number | undefined {
  try {
    // the program name in brackets comes first and may hold anything
    const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) (?!.*\) )/)
    return Number(fields.split(' ')[1])
  } catch {
    return undefined
  }
}

/** Milliseconds of CPU time of the processes that a server has started; 0 on systems that do not tell. */
export function childrenTime(server: number): number {
  return childrenOf(server).reduce((sum, pid) => sum + timeOf(pid), 0)
}

function childrenOf(server: number): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => parentOf(pid) === server)
  } catch {
    return []
  }
}

function timeOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    // it ended
    return 0
  }
}
