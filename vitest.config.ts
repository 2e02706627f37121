import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { isProving } from './test/proof.ts'
import { memoryFolder } from './test/servers/memory-folder.ts'
import { startRun } from './test/servers/test-run.ts'
import { placeholderTexts } from './test/texts/placeholder-plugin.ts'

const compileCache = join(tmpdir(), `throughline-compile-cache-${process.getuid?.() ?? 'user'}`)
// set by commands that have just built; while somebody edits, children run the sources
const isBuilt = process.env['THROUGHLINE_BUILT'] === '1'
const builtCode = new URL('test/servers/built-code.mjs', import.meta.url).href
// a disk is slow to create, sync and remove the many small files of a database; long proofs write too much to keep it
// in memory
startRun(isProving || process.env['TMPDIR'] !== undefined ? tmpdir() : (memoryFolder() ?? tmpdir()))

/**
 * The slowest files, slowest first: started last, one of them would keep a single worker busy while the others are
 * idle.
 */
const LONGEST = [
  'test/limits/largest-inputs',
  'postgres.int',
  'remote-postgres-redis.int',
  'postgres-split.int',
  'remote-sqlite.int',
  'sqlite.int',
  'postgres-redis.int',
  'test/mcp/stdio',
  'test/tour/',
  'legacy.int',
  'redis.int',
  'test/e2e/',
  'test/crash/',
  'test/races/',
  'test/scale/',
  'src/cli/',
  'test/attacks/',
]

/** Tests without a server, a database or a browser. */
const PURE = ['src/**/!(*.int).test.ts', 'inspector/src/**/*.test.ts']

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification) => {
      // at the end, where they fill the gaps: a worker cannot take files of two projects
      if (project.name !== 'house') return LONGEST.length + 1
      const found = LONGEST.findIndex((part) => moduleId.includes(part))
      return found < 0 ? LONGEST.length : found
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

export default defineConfig({
  test: {
    projects: [
      { extends: true, test: { name: 'rules', include: PURE } },
      { extends: true, plugins: [placeholderTexts()], test: { name: 'texts', include: ['test/texts/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'house',
          globalSetup: ['test/servers/setup.ts'],
          setupFiles: ['test/servers/worker.ts'],
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...PURE, 'test/texts/*.test.ts'],
        },
      },
    ],
    // files of a worker share their modules, which take more than a second to load; no file leaves state behind
    isolate: false,
    // a child needs half a second to start, most of it for compiling and for finding files
    env: { NODE_COMPILE_CACHE: compileCache, ...(isBuilt && { NODE_OPTIONS: `--import=${builtCode}` }) },
    // one more than the two cores it is made for: tests often wait for disks and children
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // the default of one second is short for a browser on a busy machine
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
