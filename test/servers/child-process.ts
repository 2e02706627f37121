import { spawn } from 'node:child_process'
import { trackProcess } from './test-run.ts'

/** A test script in its own process. It gets JSON as its argument, and prints lines of JSON. */
export interface Child {
  /** All lines printed so far. */
  readonly lines: unknown[]
  /** Resolves when it has exited with 0 or was killed, rejects with its stderr otherwise. */
  readonly done: Promise<{ lines: unknown[]; killed: boolean }>
  /** Resolves when it has printed so many lines. */
  printed(count: number): Promise<void>
  /** Ends its standard input, so that a waiting child continues. */
  go(): void
  /** Kills it, like a crash. */
  kill(): void
  /** Stops it, so that it does nothing until `resume`. */
  pause(): void
  resume(): void
}

/** @param node options of Node itself */
export function startChild(file: URL, input: unknown, node: readonly string[] = []): Child {
  const args = [...node, file.pathname, JSON.stringify(input)]
  const child = trackProcess(spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] }))
  const lines: unknown[] = []
  const waiting = new Set<() => void>()
  const wake = () => {
    for (const resolve of waiting) resolve()
    waiting.clear()
  }
  let rest = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const parts = (rest + text).split('\n')
    rest = parts.pop() ?? ''
    lines.push(...parts.map((line) => JSON.parse(line)))
    wake()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const done = new Promise<{ lines: unknown[]; killed: boolean }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      if (code === 0 || signal === 'SIGKILL') resolve({ lines, killed: code !== 0 })
      else reject(new Error(`a child failed with ${code ?? signal}: ${errors}`))
      wake()
    })
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
      }
      if (lines.length < count) await done
    },
    go() {
      child.stdin.end()
    },
    kill: () => void child.kill('SIGKILL'),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
  }
}
