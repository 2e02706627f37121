import { parseArgs } from 'node:util'
import { evaluateGoals } from './goals.ts'
import { loadPeers, NO_PEERS, STORES } from './lineup.ts'
import { ROUND_MS } from './load.ts'
import { PARTS } from './parts/index.ts'
import { printGoals, printTable } from './print.ts'
import { writeReport } from './report.ts'
import { describeMachine, mergeResults, RESULTS, type Run, readResults, readVersions, writeResults } from './results.ts'
import type { Table } from './table.ts'
import { createWorkspace } from './workspace.ts'

const USAGE = `Usage: npm run bench -- [${PARTS.map(({ name }) => name).join('|')}]
         [--store ${STORES.join('|')}] [--rounds N] [--quick] [--peers|--no-peers] [--results FILE]

Without a part: all of them, and then the tables and pictures of docs/performance.md; without --store: every store.
--quick makes two short rounds with small sizes, to see that all runs. Competitors of a line take turns within one run;
ratios are to the raw one. The figures go to bench/results/latest.json, or to FILE; a run of one part replaces its own.
Postgres is a server of the run's own, durable and on loopback, or DATABASE_URL where set: the URL of a role that may
create databases and roles. pgbench takes part where it is installed. Redis, for the part envelope alone, is a server of
its own too, or REDIS_URL where set. The part context replays transcripts of Claude Code from ../shared/data/transcripts,
or from TRANSCRIPTS_DIR where set.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    store: { type: 'string' },
    rounds: { type: 'string', default: '8' },
    quick: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: true },
    results: { type: 'string', default: RESULTS },
    help: { type: 'boolean', default: false },
  },
})

const unknown = [
  ...positionals
    .filter((name) => !PARTS.some((part) => part.name === name))
    .map((name) => `There is no part '${name}'.`),
  ...[values.store ?? 'sqlite']
    .filter((store) => !STORES.some((known) => known === store))
    .map((store) => `There is no store '${store}'.`),
  ...(Number(values.rounds) >= 1 ? [] : ['--rounds takes a number from 1 up.']),
]

/** The command that repeats the run, without the results path. */
function commandOf(args: readonly string[]): string {
  const own = args.filter((arg, i) => !arg.startsWith('--results') && args[i - 1] !== '--results')
  return ['npm run bench', ...(own.length > 0 ? ['--', ...own] : [])].join(' ')
}

async function bench(): Promise<void> {
  const whole = positionals.length === 0 && values.store === undefined
  const run: Run = {
    at: new Date().toISOString(),
    command: commandOf(process.argv.slice(2)),
    machine: describeMachine(),
    versions: {},
  }
  console.log(`${run.machine}, Node ${process.version}`)
  const peers = values.peers ? await loadPeers() : NO_PEERS
  const places = createWorkspace()
  const effort = { rounds: values.quick ? 2 : Number(values.rounds), ms: values.quick ? 250 : ROUND_MS }
  const before = readResults(values.results)
  const tables: Table[] = []
  try {
    for (const part of PARTS) {
      if (positionals.length > 0 && !positionals.includes(part.name)) continue
      for (const store of part.stores) {
        if (values.store !== undefined && values.store !== store) continue
        const apart = part.oneCaller === true && store === 'postgres'
        if (apart) await (await places.postgres()).separate(true)
        for await (const table of part.run({ store, ...effort, quick: values.quick, whole, peers, places })) {
          const done = { ...table, part: part.name, store }
          tables.push(done)
          printTable(done)
          console.log(`  (${Math.round(performance.now() / 1000)} s since the start)`)
          // saved at once, in case the run is interrupted
          run.versions = readVersions(await places.postgresVersion())
          writeResults(values.results, mergeResults(before, run, tables))
        }
        if (apart) await (await places.postgres()).separate(false)
      }
    }
  } finally {
    await places.close()
  }
  const results = mergeResults(whole ? { runs: [], tables: [] } : before, run, tables)
  writeResults(values.results, results)
  printGoals(evaluateGoals(tables))
  if (whole && values.results === RESULTS && !values.quick) writeReport(results)
}

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`${unknown.join('\n')}\n`)
  console.log(USAGE)
  process.exitCode = unknown.length === 0 ? 0 : 2
} else {
  await bench()
}
