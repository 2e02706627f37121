import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { quoteForShell } from '../../src/cli/shell-quote.ts'
import { trackProcess } from '../servers/test-run.ts'

const RUN = fileURLToPath(new URL('../../src/cli/run.ts', import.meta.url))

/**
 * Variables for the test process that commands must not see. Node shows no colors if CI is set, not even in a
 * terminal.
 */
const OURS = ['CI', 'COLUMNS', 'FORCE_COLOR', 'NO_COLOR', 'NODE_DEBUG', 'THROUGHLINE_CACHE_URL', 'THROUGHLINE_URL']

/** The command as a shell takes it. */
export function commandLine(args: readonly string[]): string {
  return [process.execPath, RUN, ...args].map(quoteForShell).join(' ')
}

/** Environment of a person: the test runner's own wishes do not count. */
export function environment(extra: Record<string, string> = {}): NodeJS.ProcessEnv {
  const rest = Object.entries(process.env).filter(([key]) => !OURS.includes(key))
  return { ...Object.fromEntries(rest), TERM: 'xterm-256color', SHELL: '/bin/sh', ...extra }
}

/** Someone at a terminal of their own, who started one command. */
export interface Terminal {
  /** All that appeared so far, with what steers the terminal. */
  shown(): string
  /** Resolves once this has appeared; rejects if the command ends before. */
  until(text: string | RegExp): Promise<void>
  type(text: string): void
  /** How it ended, and all that appeared. */
  readonly ended: Promise<{ code: number | null; text: string }>
}

export const CTRL_C = '\x03'
export const CTRL_D = '\x04'

const terminals = new Set<ChildProcess>()

/** Closes the terminals that a test has left open. What runs at one is hung up with it. */
export async function closeTerminals(): Promise<void> {
  const closed = [...terminals].map((child) => once(child, 'exit'))
  for (const child of terminals) child.kill('SIGKILL')
  await Promise.all(closed)
}

/** Runs a line of the shell, or a command of ours, at a pseudo terminal of so many columns. */
export function atTerminal(
  command: string | readonly string[],
  { columns = 80, env = {}, cwd }: { columns?: number; env?: Record<string, string>; cwd: string },
): Terminal {
  const line = typeof command === 'string' ? command : `exec ${commandLine(command)}`
  // util-linux: -e leaves with the code of the command, -q says nothing of its own
  const child = trackProcess(
    spawn('script', ['-qec', `stty cols ${columns} rows 24; ${line}`, '/dev/null'], {
      cwd,
      env: environment(env),
      stdio: ['pipe', 'pipe', 'inherit'],
    }),
  )
  if (child.pid !== undefined) terminals.add(child)
  child.once('exit', () => terminals.delete(child))
  let text = ''
  const watchers = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk.replaceAll('\r\n', '\n')
    for (const look of watchers) look()
  })
  const ended = new Promise<{ code: number | null; text: string }>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => resolve({ code, text }))
  })
  return {
    shown: () => text,
    until: (wanted) =>
      new Promise((resolve, reject) => {
        const look = () => {
          if (typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text)) resolve()
        }
        watchers.add(look)
        look()
        void ended.then(() => reject(new Error(`it ended before ${wanted} appeared: ${JSON.stringify(text)}`)), reject)
      }),
    type: (typed) => void child.stdin.write(typed),
    ended,
  }
}
