import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What the guardian is told: what there is to end and to remove, and what is no more. */
export type Word =
  | { readonly runs: number; readonly end: NodeJS.Signals }
  | { readonly ended: number }
  | { readonly made: string }
  | { readonly removed: string }

const PROGRAM = fileURLToPath(new URL('guardian-process.ts', import.meta.url))

let guardian: Socket | undefined

/**
 * The child, which does not outlive this process: should this one be killed, a guardian ends the child by the signal.
 *
 * @param end `SIGQUIT` for a Postgres, which takes its backends along
 */
export function guarded<Child extends ChildProcess>(child: Child, end: NodeJS.Signals = 'SIGKILL'): Child {
  const { pid } = child
  if (pid === undefined) return child
  tell({ runs: pid, end })
  child.once('exit', () => tell({ ended: pid }))
  return child
}

/** A new folder in the temporary one, which does not outlive this process either. */
export function guardedFolder(prefix: string): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), prefix))
  tell({ made: path })
  return {
    path,
    remove() {
      rmSync(path, { recursive: true, force: true })
      tell({ removed: path })
    },
  }
}

/** Whether there is such a process; what nobody has asked after since it ended counts as none. */
export function isRunning(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).startsWith('Z')
  } catch {
    return false
  }
}

function tell(word: Word): void {
  guardian ??= started()
  guardian.write(`${JSON.stringify(word)}\n`)
}

/** In a group of its own: what a shell or `timeout` sends to ours does not reach it. It ends when its input does, which is when we end. */
function started(): Socket {
  const child = spawn(process.execPath, [PROGRAM], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  child.once('error', () => {})
  child.unref()
  const input = child.stdin as Socket
  input.on('error', () => {})
  input.unref()
  return input
}
