import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { proving } from './test/proof.ts'
import { memoryFolder } from './test/servers/memory-folder.ts'

const compileCache = join(tmpdir(), 'throughline-compile-cache')
// a database is many small files, which a disk is slow to make, to sync and to remove; long proofs write more than belongs into memory
if (!proving) process.env['TMPDIR'] ??= memoryFolder() ?? tmpdir()

/** Files that take longest, longest first: begun last, one of them would keep one worker busy while the other has nothing to do. */
const LONGEST = [
  'postgres.int',
  'remote-postgres-redis.int',
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
      // at the end, where they fill the gaps; a worker of one project cannot go on with a file of the other
      if (project.name === 'rules') return LONGEST.length + 1
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
      {
        extends: true,
        test: {
          name: 'house',
          globalSetup: ['test/servers/setup.ts'],
          setupFiles: ['test/servers/worker.ts'],
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: PURE,
        },
      },
    ],
    // files leave nothing behind that another would find: those of a worker share what they import, which takes more than a second to load
    isolate: false,
    // most of the half second that a child needs to start goes into compiling
    env: { NODE_COMPILE_CACHE: compileCache },
    // one more than the two cores it is made for: much of the time goes by in waiting for disks and children
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    // a second, the default, is short for a browser on a busy machine
    expect: { poll: { timeout: 15_000 } },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
})
