// Builds src/ into dist/: the code in few files, since each file costs half a millisecond at start, with types beside
// it, the SQL files that the stores read at run time, and the inspector in dist/inspector.
import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { build as bundle } from 'vite'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Modules that are imported or started by name. All others are bundled into dist/parts. */
const ENTRIES = ['index', 'session', 'server', 'testing', 'cli/main', 'stores/conformance/worker', 'worker/thread-main']

/**
 * One bundle each: the core, which every process loads, then lazily loaded rooms with the modules that the bundles
 * above do not hold.
 */
const PARTS = {
  core: [
    'index',
    // every store needs these
    'domain/recall/postings',
    'domain/recall/weights',
    ...['files', 'migrations', 'next-tick', 'usage-numbers', 'usage-pages'].map((shared) => `stores/${shared}`),
    // the client of a server needs these too; each schema is built on first use
    ...['compaction', 'context', 'purge', 'recall', 'usage'].map((room) => `features/${room}/schema`),
  ],
  compaction: ['features/compaction/operation', 'models/summarizer'],
  conversations: ['features/conversations/operation', 'features/maintenance/sweep', 'models/classifier'],
  context: ['features/context/operation'],
  maintenance: ['features/maintenance/operation', 'features/purge/operation'],
}

/** A file and its static imports, without those that it loads lazily. */
function closure(file, found = new Set()) {
  if (found.has(file)) return found
  found.add(file)
  for (const [, path] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export|\}) (?!type )[^'\n]*from '(\.[^']+)'$/gm,
  )) {
    closure(resolve(dirname(file), path), found)
  }
  return found
}

/** Marks the zod modules that only HTTP, CLI and MCP load. */
const CLASSIC = '?classic'

/**
 * Gives classic zod, which only HTTP, CLI and MCP use, its own copy of the zod engine. With a shared engine every
 * process would load 130 KB more. Each copy accepts the other's schemas, because zod recognizes schemas by trait
 * names and not by class.
 */
const separateZod = {
  name: 'separate-zod',
  enforce: 'pre',
  async resolveId(source, importer, options) {
    if (source !== 'zod' && !importer?.endsWith(CLASSIC)) return null
    const found = await this.resolve(source, importer?.replace(CLASSIC, ''), { ...options, skipSelf: true })
    return found === null ? null : { ...found, id: found.id + CLASSIC }
  },
}

export async function build() {
  rmSync(join(root, 'dist'), { recursive: true, force: true })
  const tsc = join(root, 'node_modules/typescript/bin/tsc')
  // unchecked: `npm test` and `npm run check` check the same files together with those of the tests
  const types = [tsc, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--noCheck']
  const { status } = spawnSync(process.execPath, types, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  // a file takes 1.5 ms to load, and the core had thirty
  const parts = Object.entries(PARTS).map(([name, entries]) => {
    const files = entries.map((entry) => closure(join(root, 'src', `${entry}.ts`)))
    const isIn = (id) => files.some((found) => found.has(id))
    return { name, test: name === 'core' ? (id) => isIn(id) || id.includes('/node_modules/zod/') : isIn }
  })
  await bundle({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [separateZod],
    // bundles only the used part of zod: all of it is 95 files with messages in 60 languages, 70 ms and 15 MB
    ssr: { noExternal: ['zod'], target: 'node' },
    build: {
      ssr: true,
      outDir: 'dist',
      emptyOutDir: false,
      target: 'node22',
      minify: false,
      rollupOptions: {
        input: Object.fromEntries(ENTRIES.map((name) => [name, join(root, 'src', `${name}.ts`)])),
        output: {
          entryFileNames: '[name].js',
          chunkFileNames: 'parts/[name]-[hash].js',
          codeSplitting: {
            groups: [{ name: 'zod', test: (id) => id.endsWith(CLASSIC) }, ...parts],
          },
        },
      },
    },
  })
  cpSync(join(root, 'node_modules/zod/LICENSE'), join(root, 'dist/parts/zod-LICENSE'))
  const { joinMigration } = await import('../src/stores/migrations.ts')
  for (const path of globSync('stores/*/migrations/*', { cwd: join(root, 'src') })) {
    const file = join(root, 'dist', path.replace(/(\.sql)?$/, '.sql'))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, joinMigration(pathToFileURL(join(root, 'src', path))))
  }
  const { makeTemplate } = await import('../src/stores/sqlite/make-template.ts')
  await makeTemplate(join(root, 'dist/stores/sqlite/template.db'))
  await buildInspector()
}

/** Builds the inspector and compresses its files once, so that no server has to. */
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
