import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Runner } from '../src/stores/conformance/harness.ts'

/** Whether this run is `npm run prove`: the same tests at full length, with their figures printed. */
export const isProving = process.env['THROUGHLINE_PROVE'] === '1'

/** How much of something: `short` in `npm test`, `long` in `npm run prove`. */
export function amount(short: number, long: number): number {
  return isProving ? long : short
}

/** Servers to run on: the first in `npm test`, each of them in `npm run prove`. For what hardly depends on their version. */
export function firstInShortRun<T>(servers: readonly T[]): readonly T[] {
  return isProving ? servers : servers.slice(0, 1)
}

/**
 * Runs the rules of a suite whose ids fit in `npm test`, all of them in `npm run prove`: what goes over HTTP goes through the same store, so that
 * not every rule has to go every way each time.
 */
export function rulesForRun({ describe, it }: Runner, short: RegExp): Runner {
  return {
    describe,
    it: (name, body, timeout) => (isProving || short.test(name) ? it(name, body, timeout) : undefined),
  }
}

/** Prints what was measured or counted. */
export function printFigure(text: string): void {
  process.stdout.write(`figure: ${text}\n`)
}

/** Gives a path for a database in a folder of its own, which is removed afterwards. */
export async function withDatabaseFile<T>(work: (path: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'throughline-'))
  try {
    return await work(join(folder, 'sessions.db'))
  } finally {
    await rm(folder, { recursive: true })
  }
}
