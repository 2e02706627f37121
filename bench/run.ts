import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { parseArgs } from 'node:util'
import { WORK } from './load.ts'
import type { Result } from './measure.ts'
import { APPEND_STORES, appendPart } from './parts/append.ts'
import { ENVELOPE_STORES, envelopeReads, envelopeWrites } from './parts/envelope.ts'
import { HTTP_STORES, httpPart } from './parts/http.ts'
import { indexedPart, RECALL_STORES, recallPart } from './parts/recall.ts'
import { RECENT_STORES, recentPart } from './parts/recent.ts'
import { newPlaces, type Places } from './places.ts'

const USAGE = `Usage: npm run bench -- [append|recent|recall|indexed|envelope|http] [--store sqlite|memory|postgres] [--rounds N] [--quick]

Without a part: all of them; without --store: every store. Every part runs its competitors in turns within one run;
ratios are to the raw one. Postgres is a server of the run's own, durable and on loopback, or DATABASE_URL where set:
the URL of a role that may create databases and roles. pgbench takes part where it is installed. Redis, for the part
envelope alone, is a server of its own too, or REDIS_URL where set.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const HTTP_PARTS = [
  ['append', 'H1 appends'],
  ['recent', 'H2 last 30 turns'],
  ['record', 'H3 records'],
] as const

const PARTS = ['append', 'recent', 'recall', 'indexed', 'envelope', 'http']
const STORES: readonly string[] = APPEND_STORES
const unknown = [
  ...positionals.filter((part) => !PARTS.includes(part)).map((part) => `There is no part '${part}'.`),
  ...[values.store ?? 'sqlite']
    .filter((store) => !STORES.includes(store))
    .map((store) => `There is no store '${store}'.`),
]

/** The stores of a part that were asked for. */
function wanted<Store extends string>(part: string, stores: readonly Store[]): Store[] {
  if (positionals.length > 0 && !positionals.includes(part)) return []
  return stores.filter((store) => values.store === undefined || values.store === store)
}

interface Table {
  title: string
  results: Result[]
  /** Index of the result that each row is compared with. */
  baseOf(row: number): number
  /** By operations per second, more being better; or by the median time of one, less being better. */
  by: 'rate' | 'time'
}

async function tables(places: Places): Promise<Table[]> {
  const rounds = values.quick ? 2 : Number(values.rounds)
  const found: Table[] = []
  for (const store of wanted('append', APPEND_STORES)) {
    for (const work of Object.values(WORK)) {
      const results = await appendPart(work, store, rounds, places)
      found.push({ title: `${work.title} (${store})`, results, baseOf: () => 0, by: 'rate' })
    }
  }
  const lengths = values.quick ? [100, 10_000] : [100, 10_000, 1_000_000]
  for (const store of wanted('recent', RECENT_STORES)) {
    const results = await recentPart(lengths, store, rounds, places)
    found.push({ title: `R1 last 30 turns (${store})`, results, baseOf: (row) => row - (row % 2), by: 'time' })
  }
  const sizes = values.quick
    ? [
        { events: 2_000, memories: 500 },
        { events: 20_000, memories: 5_000 },
      ]
    : [
        { events: 10_000, memories: 1_000 },
        { events: 1_000_000, memories: 100_000 },
      ]
  for (const store of wanted('recall', RECALL_STORES)) {
    const results = await recallPart(sizes, store, rounds, places)
    found.push({ title: `Recall and search, 10 hits (${store})`, results, baseOf: (row) => row % 2, by: 'time' })
  }
  for (const store of wanted('indexed', RECALL_STORES)) {
    for (const work of [WORK.W1, WORK.W2]) {
      const results = await indexedPart(work, store, rounds, places)
      found.push({ title: `${work.title}, with the index (${store})`, results, baseOf: () => 0, by: 'rate' })
    }
  }
  for (const store of wanted('envelope', ENVELOPE_STORES)) {
    for (const work of [WORK.W1, WORK.W2]) {
      const title = `R3 envelope, ${work.writers === 1 ? 'one caller' : `${work.writers} callers`} (${store} and Redis)`
      // a crowd is bound by what one process can do, so there it is the rate that counts
      const by = work.writers === 1 ? 'time' : 'rate'
      const reads = await envelopeReads(work, rounds, places)
      found.push({ title: `${title}: reads`, results: reads, baseOf: (row) => row - (row % 2), by })
      const writes = await envelopeWrites(work, rounds, places)
      found.push({ title: `${title}: writes`, results: writes, baseOf: () => 0, by })
    }
  }
  for (const store of wanted('http', HTTP_STORES)) {
    for (const [what, title] of HTTP_PARTS) {
      const results = await httpPart(what, store, rounds, places)
      found.push({ title: `${title} over HTTP, 32 connections (${store})`, results, baseOf: () => 0, by: 'rate' })
    }
  }
  return found
}

function print({ title, results, baseOf, by }: Table): void {
  console.log(`\n${title}`)
  const rows = results.map(({ name, perSecond, p50, p99, note }, i) => {
    const base = results[baseOf(i)]
    const ratio = by === 'rate' ? perSecond / (base?.perSecond ?? 0) : p50 / (base?.p50 ?? 0)
    return {
      '': name,
      'per second': Math.round(perSecond).toLocaleString('en'),
      'p50 ms': milliseconds(p50),
      'p99 ms': milliseconds(p99),
      [by === 'rate' ? '× rate' : '× time']: ratio.toFixed(2),
      note,
    }
  })
  console.table(rows)
}

function milliseconds(latency: number): string {
  return Number.isNaN(latency) ? '–' : latency.toFixed(3)
}

if (values.help || unknown.length > 0) {
  if (unknown.length > 0) console.error(`${unknown.join('\n')}\n`)
  console.log(USAGE)
  process.exitCode = unknown.length === 0 ? 0 : 2
} else {
  const machine = `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  console.log(`${machine}, ${type()} ${release()}, Node ${process.version}`)
  const places = newPlaces()
  const done = await tables(places).finally(() => places.close())
  done.forEach(print)
  mkdirSync(new URL('./results/', import.meta.url), { recursive: true })
  const report = { at: new Date().toISOString(), machine, node: process.version, tables: done }
  writeFileSync(new URL('./results/latest.json', import.meta.url), `${JSON.stringify(report, null, 2)}\n`)
}
