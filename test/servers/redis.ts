import { type ChildProcess, spawn } from 'node:child_process'
import { Redis } from 'ioredis'
import { freePort } from './postgres.ts'
import { requireProgram } from './program.ts'
import { temporaryFolder, trackProcess } from './test-run.ts'

/** A Redis of the tests' own, on loopback and a free port, that keeps nothing on disk unless asked to. */
export interface RedisServer {
  url: string
  port: number
  /** Runs one command, on a connection that ends with it. */
  command(name: string, ...args: string[]): Promise<unknown>
  /** Stops the process until `resume`; connections stay open. */
  pause(): void
  resume(): void
  /** Kills it, like a crash. */
  crash(): Promise<void>
  /** Starts it again after a crash, on the same port and folder. */
  start(): Promise<void>
  stop(): Promise<void>
}

/** @param settings of the server, as on its command line: `['--maxmemory', '4mb']` */
export async function startRedis(settings: readonly string[] = [], port?: number): Promise<RedisServer> {
  const program = requireProgram('redis')
  const { path: folder, remove } = temporaryFolder('throughline-redis-')
  const at = port ?? (await freePort())
  const args = ['--port', `${at}`, '--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'no']
  let child: ChildProcess

  async function start(): Promise<void> {
    child = trackProcess(spawn(program, [...args, ...settings], { cwd: folder, stdio: 'ignore' }))
    while (!(await answers(at))) {
      if (hasEnded(child)) throw new Error(`redis-server ended with ${child.exitCode ?? child.signalCode}`)
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (hasEnded(child)) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGCONT')
    child.kill(signal)
    await ended
  }

  await start().catch((error) => {
    remove()
    throw error
  })
  return {
    url: `redis://127.0.0.1:${at}`,
    port: at,
    command: (name, ...rest) => once(at, (redis) => redis.call(name, ...rest)),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    crash: () => end('SIGKILL'),
    start,
    async stop() {
      await end('SIGTERM')
      remove()
    },
  }
}

async function once<T>(port: number, work: (redis: Redis) => Promise<T>): Promise<T> {
  const redis = new Redis(port, '127.0.0.1', { lazyConnect: true, retryStrategy: null, maxRetriesPerRequest: 0 })
  redis.on('error', () => {})
  try {
    await redis.connect()
    return await work(redis)
  } finally {
    redis.disconnect()
  }
}

async function answers(port: number): Promise<boolean> {
  return await once(port, (redis) => redis.ping()).then(
    () => true,
    () => false,
  )
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
