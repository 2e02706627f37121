import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, release, totalmem, type } from 'node:os'
import { parseArgs } from 'node:util'
import type { Result } from './measure.ts'
import { appendPart, WORK } from './parts/append.ts'
import { recentPart } from './parts/recent.ts'

const USAGE = `Usage: npm run bench -- [append|recent] [--store sqlite|memory] [--rounds N] [--quick]

Without a part: all of them. Every part runs its competitors in turns within one run; ratios are to the raw one.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    store: { type: 'string' },
    rounds: { type: 'string', default: '7' },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const stores = ['sqlite', 'memory'] as const
const known = ['append', 'recent']
const unknown = positionals.find((part) => !known.includes(part))
const wanted = (part: string) => positionals.length === 0 || positionals.includes(part)

interface Table {
  title: string
  results: Result[]
  /** Index of the result that each row is compared with. */
  baseOf(row: number): number
  /** By operations per second, more being better; or by the median time of one, less being better. */
  by: 'rate' | 'time'
}

async function tables(): Promise<Table[]> {
  const rounds = values.quick ? 2 : Number(values.rounds)
  const found: Table[] = []
  for (const store of stores) {
    if (!wanted('append') || (values.store !== undefined && values.store !== store)) continue
    for (const work of Object.values(WORK)) {
      found.push({
        title: `${work.title} (${store})`,
        results: await appendPart(work, store, rounds),
        baseOf: () => 0,
        by: 'rate',
      })
    }
  }
  if (wanted('recent') && values.store !== 'memory') {
    const lengths = values.quick ? [100, 10_000] : [100, 10_000, 1_000_000]
    const results = await recentPart(lengths, rounds)
    found.push({ title: 'R1 last 30 turns (sqlite)', results, baseOf: (row) => row - (row % 2), by: 'time' })
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
      'p50 ms': p50.toFixed(3),
      'p99 ms': p99.toFixed(3),
      [by === 'rate' ? '× rate' : '× time']: ratio.toFixed(2),
      note,
    }
  })
  console.table(rows)
}

if (values.help || unknown !== undefined) {
  if (unknown !== undefined) console.error(`There is no part '${unknown}'.\n`)
  console.log(USAGE)
  process.exitCode = unknown === undefined ? 0 : 2
} else {
  const machine = `${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} cores, ${Math.round(totalmem() / 2 ** 30)} GiB`
  console.log(`${machine}, ${type()} ${release()}, Node ${process.version}`)
  const done = await tables()
  done.forEach(print)
  mkdirSync(new URL('./results/', import.meta.url), { recursive: true })
  const report = { at: new Date().toISOString(), machine, node: process.version, tables: done }
  writeFileSync(new URL('./results/latest.json', import.meta.url), `${JSON.stringify(report, null, 2)}\n`)
}
