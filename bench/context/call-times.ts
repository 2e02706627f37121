import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { open } from '../../dist/index.js'
import { known } from '../measure.ts'
import { quantile, type Row } from '../table.ts'
import type { Recording } from './transcripts.ts'

const run = promisify(execFile)
const program = fileURLToPath(new URL('call-process.ts', import.meta.url))

const EVENTS = 2000
const BUDGETS = [32_000, 128_000]
const REPEATS = 12

/** Times from one fresh process. */
interface Times {
  process: number
  store: number
  repeated: number[]
}

/** Times `context()` on the first 2,000 events of a recording: in fresh processes, after `open()`, and repeated. */
export async function timeRows(url: string, set: string, recording: Recording, processes: number): Promise<Row[]> {
  const { id, size } = await store(url, recording)
  const rows: Row[] = []
  for (const budget of BUDGETS) {
    const times: Times[] = []
    for (let i = 0; i < processes; i++) times.push(await timesOf(url, id, budget))
    const row = (name: string, values: number[]): Row => {
      const sorted = values.sort((a, b) => a - b)
      const figures = known({ p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99) })
      const note = `${sorted.length} calls`
      return { name: `${set}, ${budget / 1000}k, ${name}`, kind: 'throughline', size, ...figures, note }
    }
    rows.push(
      row(
        'first of a process',
        times.map((one) => one.process),
      ),
      row(
        'first of a store',
        times.map((one) => one.store),
      ),
      row(
        'repeated',
        times.flatMap(({ repeated }) => repeated),
      ),
    )
  }
  return rows
}

async function store(url: string, { task, events }: Recording): Promise<{ id: string; size: number }> {
  const tl = await open({ url, index: false })
  const session = await tl.sessions.create({ userId: 'bench', ...(task !== undefined && { task }) })
  const some = events.slice(0, EVENTS)
  const most = 200
  for (let at = 0; at < some.length; at += most) await session.append(some.slice(at, at + most))
  await tl.close()
  return { id: session.id, size: some.length }
}

async function timesOf(url: string, id: string, budget: number): Promise<Times> {
  const { stdout } = await run(process.execPath, [program, url, id, String(budget), String(REPEATS)])
  return JSON.parse(stdout) as Times
}
