import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OpenOptions } from '../../open/options.ts'
import { packageFile } from '../../package-file.ts'
import type { Job } from './worker.ts'

/** The worker script, built or as source. */
const WORKER = fileURLToPath(packageFile(`stores/conformance/worker${extname(import.meta.url)}`))

/** A child process that runs a job on a database and prints lines of JSON. */
export interface Worker {
  /** All lines printed so far. */
  readonly lines: unknown[]
  /** Resolves with all lines on exit code 0, otherwise rejects with its stderr. */
  readonly done: Promise<unknown[]>
  /** Resolves after `count` lines. */
  printed(count: number): Promise<void>
  /** Kills it, as a crash would. */
  kill(): Promise<void>
}

export function startWorker(target: string | OpenOptions | undefined, job: Job): Worker {
  assert(target !== undefined, 'the harness has no target for other processes: skip the rule and give the reason')
  const child = spawn(process.execPath, [WORKER, JSON.stringify({ target, job })], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: unknown[] = []
  const waiting = new Set<() => void>()
  let rest = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.map((line) => JSON.parse(line)))
    for (const wake of waiting) wake()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const done = exited(child).then(({ code, signal }) => {
    for (const wake of waiting) wake()
    if (code === 0 || signal === 'SIGKILL') return lines
    throw new Error(`a worker failed with ${code ?? signal}: ${errors}`)
  })
  done.catch(() => {})
  return {
    lines,
    done,
    async printed(count) {
      while (lines.length < count && child.exitCode === null && child.signalCode === null) {
        await new Promise<void>((resolve) => {
          waiting.add(resolve)
        })
        waiting.clear()
      }
      if (lines.length < count) await done
    },
    async kill() {
      child.kill('SIGKILL')
      await done
    },
  }
}

function exited(child: ChildProcess): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal }))
  })
}
