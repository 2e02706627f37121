import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Programs that the tests need: under which names, the best first, and in which package of Debian. */
const PROGRAMS = {
  redis: { names: ['redis-server'], package: 'redis-server' },
  // the same browser without windows, for half the time
  chromium: { names: ['chromium-headless-shell', 'chromium'], package: 'chromium-headless-shell' },
} as const

/** Debian asks this file whether a service may be started by an installation; 101 says no. */
const POLICY = '/usr/sbin/policy-rc.d'

/** Path of a program, installed first where that is possible. */
export function requireProgram(program: keyof typeof PROGRAMS): string {
  const found = pathOf(program)
  if (found !== undefined) return found
  const install = ['install', '-y', '--no-install-recommends', PROGRAMS[program].package]
  const command = `apt-get ${install.join(' ')}`
  const ours = !existsSync(POLICY) && process.getuid?.() === 0
  try {
    // the tests start servers of their own: the system's would only be in the way
    if (ours) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 })
    execFileSync('apt-get', ['update'], { stdio: 'ignore' })
    execFileSync('apt-get', install, { stdio: 'ignore', env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' } })
  } catch (cause) {
    throw new Error(`${program} is not installed; as root run: ${command}`, { cause })
  } finally {
    if (ours) rmSync(POLICY, { force: true })
  }
  const installed = pathOf(program)
  if (installed === undefined) throw new Error(`${program} is not there although this went well: ${command}`)
  return installed
}

function pathOf(program: keyof typeof PROGRAMS): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/bin', '/usr/local/bin']
  const paths = PROGRAMS[program].names.flatMap((name) => folders.map((folder) => join(folder, name)))
  return paths.find((path) => existsSync(path))
}
