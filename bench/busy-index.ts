// Measures reads of windows next to a busy index against the same reads without an index. The goal is 0.9.
// Usage: npm run bench:busy-index -- [--store sqlite|postgres --rounds N]
// Each has a process and a database of its own; rounds alternate, and the index goes on between them.
import { parseArgs } from 'node:util'
import type { open as Open } from '../dist/index.js'
import { startProcess } from './build-child.ts'
import { median } from './table.ts'
import { createWorkspace } from './workspace.ts'

const { values } = parseArgs({
  options: { store: { type: 'string', default: 'sqlite,postgres' }, rounds: { type: 'string', default: '11' } },
})
const build = new URL('../dist/index.js', import.meta.url).href
const { open } = (await import(build)) as { open: typeof Open }

const places = createWorkspace()
try {
  for (const store of values.store.split(',')) await compare(store, Number(values.rounds))
} finally {
  await places.close()
}

async function compare(store: string, rounds: number): Promise<void> {
  const [quiet, busy] = [await start(store, false), await start(store, true)]
  const found: [quiet: number[], busy: number[]] = [[], []]
  // the first round only warms up
  for (let round = 0; round <= rounds; round++) {
    for (const [i, child] of [quiet, busy].entries()) {
      const { operations, seconds } = await child.round()
      if (round > 0) found[i]?.push(operations / seconds)
    }
  }
  await Promise.all([quiet.stop(), busy.stop()])
  const [without, beside] = found.map((rates) => median(rates) ?? 0) as [number, number]
  const rates = `${Math.round(without)} → ${Math.round(beside)}/s`
  console.log(`${store} windows next to a busy index: ${(beside / without).toFixed(2)} by rate (${rates})`)
}

async function start(store: string, index: boolean) {
  const url = store === 'postgres' ? await (await places.postgres()).empty() : `sqlite:${places.file()}`
  await (await open({ url, migrate: true })).close()
  return await startProcess({ build, url, index, line: 'busy' })
}
