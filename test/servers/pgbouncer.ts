import { spawn } from 'node:child_process'
import { chownSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { freePort, unprivilegedUser } from './postgres.ts'
import { requireProgram } from './program.ts'
import { temporaryFolder, trackProcess } from './test-run.ts'

/** A pgbouncer in transaction mode, on loopback and a free port. */
export interface Pgbouncer {
  port: number
  stop(): Promise<void>
}

/** Starts one in front of a server, for users who need no password. */
export async function startPgbouncer(server: number, users: readonly string[]): Promise<Pgbouncer> {
  const { path: folder, remove } = temporaryFolder('throughline-pgbouncer-')
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
  const user = unprivilegedUser()
  if (user) for (const path of [folder, config, join(folder, 'users.txt')]) chownSync(path, user.uid, user.gid)
  const child = trackProcess(
    spawn(requireProgram('pgbouncer'), [config], { ...user, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] }),
  )
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
