import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Runner } from '../src/stores/conformance/harness.ts'

/** Whether this run is `npm run prove`: the same tests at full length, with their figures printed. */
export const isProving = process.env['THROUGHLINE_PROVE'] === '1'

/** A size of a test: `short` in `npm test`, `long` in `npm run prove`. */
export function amount(short: number, long: number): number {
  return isProving ? long : short
}

/** The first server in `npm test`, all of them in `npm run prove`: for tests that hardly depend on the version. */
export function firstInShortRun<T>(servers: readonly T[]): readonly T[] {
  return isProving ? servers : servers.slice(0, 1)
}

/**
 * Runs only the rules whose ids match `short` in `npm test`, all of them in `npm run prove`: calls over HTTP end in
 * the same store, so not every rule needs every path each time.
 */
export function rulesForRun({ describe, it }: Runner, short: RegExp): Runner {
  return {
    describe,
    it: (name, body, timeout) => (isProving || short.test(name) ? it(name, body, timeout) : undefined),
  }
}

/** Prints a measured or counted figure. */
export function printFigure(text: string): void {
  process.stdout.write(`figure: ${text}\n`)
}

/** Calls `work` with the path of a database in a new folder, which is removed afterwards. */
export async function withDatabaseFile<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  try {
    return await work(join(folder, 'sessions.db'))
  } finally {
    await rm(folder, { recursive: true })
  }
}
