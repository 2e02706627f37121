import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { trackProcess } from './test-run.ts'

const CLI = fileURLToPath(new URL('../../src/cli/run.ts', import.meta.url))

/** `throughline serve` in a process of its own. */
export interface ServeProcess {
  readonly url: string
  readonly pid: number
  /** Sends SIGTERM. */
  stop(): void
  /** Kills it, like a crash. */
  kill(): void
  /** Resolves with its exit code or signal. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null; errors: string }>
}

/** Starts it on a free port, with settings from the environment, and waits until it prints its URL. */
export async function startServeProcess(
  env: Record<string, string>,
  args: readonly string[] = [],
): Promise<ServeProcess> {
  const command = [CLI, '--json', 'serve', '--port', '0', '--log', 'warn', ...args]
  const child = trackProcess(
    spawn(process.execPath, command, { stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, ...env } }),
  )
  let errors = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text
  })
  const ended: ServeProcess['ended'] = new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, errors }))
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').once('data', (text: string) => resolve((JSON.parse(text) as { url: string }).url))
    void ended.then(({ code }) => reject(new Error(`the server ended with ${code}: ${errors}`)), reject)
  })
  return {
    url,
    pid: child.pid as number,
    stop: () => void child.kill('SIGTERM'),
    kill: () => void child.kill('SIGKILL'),
    ended,
  }
}
