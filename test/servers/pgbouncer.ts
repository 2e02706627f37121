import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { guarded, guardedFolder } from './guardian.ts'
import { freePort, idOf } from './postgres.ts'

/** A pgbouncer in transaction mode, on loopback and a free port. */
export interface Pgbouncer {
  port: number
  stop(): Promise<void>
}

const INSTALL = ['apt-get', 'install', '-y', 'pgbouncer'] as const

/** Path of the program, if it is installed. */
export function pgbouncerProgram(): string | undefined {
  const folders = ['/usr/sbin', ...(process.env['PATH'] ?? '').split(':')]
  return folders.map((folder) => join(folder, 'pgbouncer')).find((path) => existsSync(path))
}

/** Path of the program, installed first where that is possible. */
export function requirePgbouncer(): string {
  const found = pgbouncerProgram()
  if (found !== undefined) return found
  const [program, ...rest] = INSTALL
  try {
    execFileSync(program, ['update'], { stdio: 'ignore' })
    execFileSync(program, rest, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  } catch (cause) {
    throw new Error(`pgbouncer is not installed; as root run: ${INSTALL.join(' ')}`, { cause })
  }
  return pgbouncerProgram() ?? missing()
}

function missing(): never {
  throw new Error(`pgbouncer is not there although this went well: ${INSTALL.join(' ')}`)
}

/** Starts it before a server, for users who need no password. */
export async function startPgbouncer(program: string, server: number, users: readonly string[]): Promise<Pgbouncer> {
  const { path: folder, remove } = guardedFolder('throughline-pgbouncer-')
  const port = await freePort()
  const config = join(folder, 'pgbouncer.ini')
  writeFileSync(join(folder, 'users.txt'), users.map((user) => `"${user}" ""\n`).join(''))
  writeFileSync(
    config,
    `[databases]
* = host=127.0.0.1 port=${server}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${join(folder, 'users.txt')}
pool_mode = transaction
default_pool_size = 8
max_client_conn = 500
`,
  )
  // it refuses to run as root
  const owner = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (owner.uid !== undefined)
    for (const path of [folder, config, join(folder, 'users.txt')]) chownSync(path, owner.uid, owner.gid ?? 0)
  const child = guarded(spawn(program, [config], { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] }))
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const ended = new Promise<void>((resolve) => {
    child.once('close', () => resolve())
  })
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(`pgbouncer ended with ${child.exitCode}: ${said}`)
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return {
    port,
    async stop() {
      child.kill('SIGTERM')
      await ended
      remove()
    },
  }
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('error', () => resolve(false))
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
  })
}
