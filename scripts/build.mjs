// Compiles src/ into dist/, with the SQL files that the stores read at run time, and builds the inspector into dist/inspector.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build as bundle } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

export async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  const { status } = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  for (const file of globSync('stores/*/migrations/*.sql', { cwd: join(root, 'src') })) {
    cpSync(join(root, 'src', file), join(root, 'dist', file))
  }
  await buildInspector()
}

/** The page, with its files compressed once, so that no server has to. */
async function buildInspector() {
  await bundle({ configFile: join(root, 'inspector/vite.config.ts'), logLevel: 'warn' })
  const assets = join(root, 'dist/inspector/assets')
  for (const name of globSync('*.{js,css,svg}', { cwd: assets })) {
    const file = join(assets, name)
    const content = readFileSync(file)
    writeFileSync(`${file}.br`, brotliCompressSync(content))
    writeFileSync(`${file}.gz`, gzipSync(content))
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await build()
