// Installs the peers of the benchmark. It also runs without them, so a failure here stops nothing.
import { spawnSync } from 'node:child_process'
import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = fileURLToPath(new URL('.', import.meta.url))
const lock = join(folder, 'package-lock.json')

/** npm writes this file at the end of an install, so it is older than the lock file when the two may differ. */
function installed() {
  const mark = join(folder, 'node_modules/.package-lock.json')
  return existsSync(mark) && statSync(mark).mtimeMs >= statSync(lock).mtimeMs
}

if (existsSync(lock) && !installed()) {
  // no scripts: compiled packages ship their binaries
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  const { status, error } = spawnSync('npm', args, {
    cwd: folder,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    // a partial install would look complete
    rmSync(join(folder, 'node_modules'), { recursive: true, force: true })
    process.stderr.write(`The peers could not be installed${error ? ` (${error.message})` : ''}: they are left out.\n`)
  }
}
