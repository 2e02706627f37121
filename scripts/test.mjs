// Runs `npm test`: format and lint, types, then every test. Ends with the number of tests. A skipped test fails the
// run.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'throughline-test-'))
const report = join(folder, 'report.json')

function step(title, script, args) {
  process.stdout.write(`\n${title}\n`)
  const { status } = spawnSync(process.execPath, [join(root, 'node_modules', script), ...args], {
    cwd: root,
    stdio: 'inherit',
  })
  return status ?? 1
}

const steps = [
  ['Format and lint', '@biomejs/biome/bin/biome', ['ci', '.']],
  ['Types', 'typescript/bin/tsc', ['--noEmit']],
  ['Types of the inspector', 'typescript/bin/tsc', ['--noEmit', '-p', 'inspector']],
  ['Tests', 'vitest/vitest.mjs', ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]],
]
try {
  let status = 0
  for (const [title, script, args] of steps) status = status || step(title, script, args)
  let counts = { numPassedTests: 0, numFailedTests: 0, numPendingTests: 0, numTodoTests: 0 }
  try {
    counts = JSON.parse(readFileSync(report, 'utf8'))
  } catch {
    status = status || 1
  }
  const skipped = counts.numPendingTests + counts.numTodoTests
  process.stdout.write(`\n${counts.numPassedTests} passed, ${counts.numFailedTests} failed, ${skipped} skipped\n`)
  if (skipped > 0) process.stderr.write('A skipped test fails the run: run it everywhere, or do not define it.\n')
  process.exitCode = skipped > 0 ? 1 : status
} finally {
  rmSync(folder, { recursive: true })
}
