import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { runFolder } from '../servers/test-run.ts'

/** Where to look for promtool, and where to keep a download. */
export interface PromtoolPlaces {
  /** @default process.env.PATH */
  path?: string
  /** Folder of this user, which keeps a download for the next run. */
  kept?: string
}

/** Longest time for one command, in milliseconds: without a network apt would retry for long. */
const PATIENCE = 120_000

const INSTALL = 'apt-get install -y --no-install-recommends prometheus'

/** Path of promtool. If it is not installed, it is unpacked from Debian's package, which needs no root. */
export function requirePromtool({
  path = process.env['PATH'] ?? '',
  kept = keptFolder(),
}: PromtoolPlaces = {}): string {
  const folders = path.split(':').filter((folder) => folder !== '')
  const installed = folders.map((folder) => join(folder, 'promtool')).find((file) => existsSync(file))
  if (installed !== undefined) return installed
  try {
    mkdirSync(kept, { recursive: true, mode: 0o700 })
    if (!isOurs(kept)) throw new Error(`${kept} belongs to someone else, or others may write to it`)
    const program = join(kept, 'promtool')
    if (!existsSync(program)) download(program, kept, path)
    return program
  } catch (cause) {
    throw new Error(`promtool is not installed; as root run: ${INSTALL}`, { cause })
  }
}

const keptFolder = () => join(dirname(runFolder()), `throughline-promtool-${process.getuid?.() ?? 'user'}`)

/** A program in a folder that others may write to must not be run. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder)
  return found.isDirectory() && found.uid === process.getuid?.() && (found.mode & 0o022) === 0
}

function download(program: string, kept: string, path: string): void {
  const folder = mkdtempSync(join(kept, 'download-'))
  const run = (command: string, ...args: string[]) =>
    void execFileSync(command, args, {
      cwd: folder,
      stdio: 'ignore',
      env: { ...process.env, PATH: path },
      timeout: PATIENCE,
    })
  try {
    try {
      run('apt-get', 'download', 'prometheus')
    } catch {
      // package lists may be missing, as in most images, or outdated; lists of our own need no root either
      const ours = ['-o', `Dir::State::lists=${folder}/lists`, '-o', `Dir::Cache=${folder}/cache`]
      for (const name of ['lists', 'cache']) mkdirSync(join(folder, name, 'partial'), { recursive: true })
      run('apt-get', ...ours, 'update')
      run('apt-get', ...ours, 'download', 'prometheus')
    }
    const file = readdirSync(folder).find((name) => name.endsWith('.deb')) ?? ''
    run('dpkg-deb', '-x', file, 'unpacked')
    // renamed when complete: another process may look for it at this moment
    const whole = join(folder, 'promtool')
    copyFileSync(join(folder, 'unpacked/usr/bin/promtool'), whole)
    chmodSync(whole, 0o755)
    renameSync(whole, program)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
