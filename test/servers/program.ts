import { execFileSync } from 'node:child_process'
import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Programs that the tests need, each with the package of Debian that has it. */
const PACKAGES = { 'redis-server': 'redis-server', chromium: 'chromium' } as const

/** Debian asks this file whether a service may be started by an installation; 101 says no. */
const POLICY = '/usr/sbin/policy-rc.d'

/** Path of a program, installed first where that is possible. */
export function requireProgram(program: keyof typeof PACKAGES): string {
  const found = pathOf(program)
  if (found !== undefined) return found
  const install = ['install', '-y', '--no-install-recommends', PACKAGES[program]]
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

function pathOf(program: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/bin', '/usr/local/bin']
  return folders.map((folder) => join(folder, program)).find((path) => existsSync(path))
}
