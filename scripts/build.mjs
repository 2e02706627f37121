// Compiles src/ into dist/, with the SQL files that the stores read at run time.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

export function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  for (const file of globSync('stores/*/migrations/*.sql', { cwd: join(root, 'src') })) {
    cpSync(join(root, 'src', file), join(root, 'dist', file))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) build()
