// Runs the long proofs: tests of races, crashes, properties, scale, attacks, limits, transcripts, terminals and the
// inspector at full length, with their figures, and every conformance rule on every Postgres and through the server.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const only = process.argv.slice(2)
const folders =
  only.length > 0
    ? only
    : [
        'test/crash',
        'test/races',
        'test/properties',
        'test/integrity',
        'test/scale',
        'test/attacks',
        'test/limits',
        'test/transcripts',
        'test/terminal',
        'test/tour',
        'test/e2e/scale',
        'src/stores/postgres',
        'src/remote',
        'src/cli/doctor',
      ]
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', '--reporter=verbose', '--no-file-parallelism', ...folders],
  { cwd: root, stdio: 'inherit', env: { ...process.env, THROUGHLINE_PROVE: '1', THROUGHLINE_BUILT: '1' } },
)
process.exitCode = status ?? 1
