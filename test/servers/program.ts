import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Programs that the tests need: their names, the best first, and their package of Debian. */
const PROGRAMS = {
  redis: { names: ['redis-server'], package: 'redis-server' },
  // the same browser without windows, in half the time
  chromium: { names: ['chromium-headless-shell', 'chromium'], package: 'chromium-headless-shell' },
  pgbouncer: { names: ['pgbouncer'], package: 'pgbouncer' },
} as const

type Program = keyof typeof PROGRAMS

/** Debian asks this file whether an installation may start a service; 101 says no. */
const POLICY = '/usr/sbin/policy-rc.d'

/** Path of a program, which is installed first where that is possible. */
export function requireProgram(program: Program): string {
  requirePrograms([program])
  return pathOf(program) as string
}

/** Installs those of the programs that are missing, in one go; fails with the command that helps where it may not. */
export function requirePrograms(programs: readonly Program[]): void {
  const missing = programs.filter((program) => pathOf(program) === undefined)
  if (missing.length === 0) return
  const install = ['install', '-y', '--no-install-recommends', ...missing.map((program) => PROGRAMS[program].package)]
  const command = `apt-get ${install.join(' ')}`
  const writesPolicy = !existsSync(POLICY) && process.getuid?.() === 0
  try {
    // the tests start servers of their own: the system's would only be in the way
    if (writesPolicy) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
    execFileSync('apt-get', ['update'], { stdio: 'ignore' })
    execFileSync('apt-get', install, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  } catch (cause) {
    throw new Error(`The tests need ${missing.join(', ')}. As root run: ${command}`, { cause })
  } finally {
    if (writesPolicy) rmSync(POLICY, { force: true })
  }
  const absent = missing.filter((program) => pathOf(program) === undefined)
  if (absent.length > 0) throw new Error(`${absent.join(', ')} not found after this succeeded: ${command}`)
}

function pathOf(program: Program): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/bin', '/usr/local/bin', '/usr/sbin']
  const paths = PROGRAMS[program].names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return paths.find((path) => existsSync(path))
}
