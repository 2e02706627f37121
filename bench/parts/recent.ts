import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventInput, open } from '../../dist/index.js'
import { alternate, type Competitor, type Result } from '../measure.ts'
import { rawSqlite } from '../raw/sqlite.ts'

const CONTENT = 'A message of ordinary length that says something. '.repeat(10)
const READS = 300

/** R1: the last 30 turns (60 events) of logs of several lengths. */
export async function recentPart(lengths: readonly number[], rounds: number): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'))
  try {
    const competitors: Competitor[] = []
    for (const length of lengths) {
      competitors.push(raw(join(folder, `raw-${length}.db`), length), await ours(join(folder, `${length}.db`), length))
    }
    return await alternate(competitors, rounds)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function reading(read: () => unknown) {
  const latencies: number[] = []
  for (let i = 0; i < READS; i++) {
    const start = performance.now()
    await read()
    latencies.push(performance.now() - start)
  }
  return { operations: READS, latencies }
}

async function ours(path: string, length: number): Promise<Competitor> {
  const tl = await open({ url: `sqlite:${path}`, durability: 'relaxed' })
  const session = await tl.sessions.create({ userId: 'bench' })
  for (let written = 0; written < length; written += 500) {
    await session.append(Array.from({ length: Math.min(500, length - written) }, (_, i) => event(i)))
  }
  return {
    name: `throughline, ${length.toLocaleString('en')} events`,
    round: () => reading(() => session.recent()),
    close: () => tl.close(),
  }
}

function raw(path: string, length: number): Competitor {
  const db = rawSqlite(path, 'normal')
  db.create('s')
  db.fill(events(length))
  return {
    name: `better-sqlite3, ${length.toLocaleString('en')} events`,
    round: () => reading(() => db.last('s', 60)),
    close: async () => db.close(),
  }
}

function* events(length: number): Generator<[string, string, string, string, string]> {
  for (let i = 0; i < length; i++) {
    const { type, role = '', content = '' } = event(i)
    yield ['s', crypto.randomUUID(), type, role, content]
  }
}

function event(i: number): EventInput {
  return i % 2 === 0
    ? { type: 'user_message', role: 'user', content: CONTENT }
    : { type: 'model_message', role: 'assistant', content: CONTENT }
}
