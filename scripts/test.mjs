// Runs `npm test`: format and lint, types, then every test. Ends with the number of tests. A skipped test fails the
// run.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'throughline-test-'))
const report = join(folder, 'report.json')

/** Runs a script of a dependency. @returns its exit code, and what it wrote unless it inherits our output */
function run(script, args, stdio) {
  // children of the tests load the build, which `pretest` has just made
  const env = { ...process.env, THROUGHLINE_BUILT: '1' }
  const child = spawn(process.execPath, [join(root, 'node_modules', script), ...args], { cwd: root, stdio, env })
  const chunks = []
  child.stdout?.on('data', (chunk) => chunks.push(chunk))
  child.stderr?.on('data', (chunk) => chunks.push(chunk))
  return once(child, 'close').then(([status]) => ({ status: status ?? 1, output: Buffer.concat(chunks) }))
}

/** With one checker: each further one checks shared types again. One takes 17 s of a core, the default of four 32 s. */
const TYPES = ['--noEmit', '--checkers', '1', '--pretty', `${process.stdout.isTTY === true}`]

/** Run at the same time, printed one after the other. */
const checks = [
  [
    'Format and lint',
    '@biomejs/biome/bin/biome',
    ['ci', '.', `--colors=${process.stdout.isTTY === true ? 'force' : 'off'}`],
  ],
  ['Types', 'typescript/bin/tsc', TYPES],
  ['Types of the inspector', 'typescript/bin/tsc', [...TYPES, '-p', 'inspector']],
]
const vitest = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${report}`]
try {
  let status = 0
  const started = checks.map(([title, script, args]) => ({ title, result: run(script, args, 'pipe') }))
  for (const { title, result } of started) {
    const { status: code, output } = await result
    process.stdout.write(`\n${title}\n`)
    process.stdout.write(output)
    status ||= code
  }
  if (status === 0) {
    process.stdout.write('\nTests\n')
    ;({ status } = await run('vitest/vitest.mjs', vitest, 'inherit'))
  }
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
