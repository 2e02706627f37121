import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { SECRET } from '../servers/http.ts'
import { trackProcess } from '../servers/test-run.ts'

const RUN = fileURLToPath(new URL('../../src/cli/run.ts', import.meta.url))

/** A server in a process of its own, as the command line starts it. */
export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** Its peak memory in megabytes; `undefined` on systems that do not tell. */
  peakMemory(): number | undefined
  /** Number of open files and sockets; `undefined` on systems that do not tell. */
  openFiles(): number | undefined
  /** Everything it has logged. */
  log(): string
  /** Asks it to stop, and waits until it has. @returns its exit code */
  stop(): Promise<number | null>
}

/** @param url of the store */
export async function startServerProcess(url: string, ...options: readonly string[]): Promise<ServerProcess> {
  const { THROUGHLINE_CACHE_URL: _cache, NODE_DEBUG: _debug, ...env } = process.env
  const args = [RUN, 'serve', '--url', url, '--port', '0', '--json', ...options]
  const child = trackProcess(
    spawn(process.execPath, args, {
      env: { ...env, THROUGHLINE_JWT_SECRET: SECRET },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  const exited = once(child, 'exit')
  let log = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log += text
  })
  let said = ''
  for await (const text of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    said += text
    if (said.includes('\n')) break
  }
  if (!said.includes('\n')) throw new Error(`the server did not start: ${log}`)
  child.stdout.resume()
  return {
    url: (JSON.parse(said) as { url: string }).url,
    pid: child.pid as number,
    peakMemory() {
      if (process.platform !== 'linux') return undefined
      const [, kilobytes] = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? []
      return Number(kilobytes) / 1024
    },
    openFiles: () => (process.platform === 'linux' ? readdirSync(`/proc/${child.pid}/fd`).length : undefined),
    log: () => log,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM')
      return (await exited)[0] as number | null
    },
  }
}
