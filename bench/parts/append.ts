import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Session } from '../../dist/index.js'
import { open } from '../../dist/index.js'
import { alternate, type Competitor, type Result } from '../measure.ts'
import { rawSqlite } from '../raw/sqlite.ts'

/** 500 bytes, as a short message has. */
const CONTENT = 'A message of ordinary length that says something. '.repeat(10)

export const WORK = {
  W1: { title: 'W1 one writer', writers: 1, sessions: 1, each: 1000 },
  W2: { title: 'W2 32 writers, 32 sessions', writers: 32, sessions: 32, each: 200 },
  W3: { title: 'W3 32 writers, one session', writers: 32, sessions: 1, each: 200 },
} as const

type Work = (typeof WORK)[keyof typeof WORK]

export async function appendPart(work: Work, store: 'sqlite' | 'memory', rounds: number): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-bench-'))
  try {
    const competitors =
      store === 'memory'
        ? [jsonArray(work), await throughline('throughline', 'memory:', work)]
        : [
            raw('better-sqlite3 FULL', join(folder, 'raw-full.db'), 'full', work),
            raw('better-sqlite3 NORMAL', join(folder, 'raw-normal.db'), 'normal', work),
            await throughline('throughline FULL', `sqlite:${join(folder, 'full.db')}`, work),
            await throughline('throughline relaxed', `sqlite:${join(folder, 'relaxed.db')}`, work, 'relaxed'),
          ]
    return await alternate(competitors, rounds)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Starts the writers and times each append. */
async function writing(work: Work, append: (writer: number, i: number) => unknown) {
  const latencies: number[] = []
  await Promise.all(
    Array.from({ length: work.writers }, async (_, writer) => {
      for (let i = 0; i < work.each; i++) {
        const start = performance.now()
        await append(writer, i)
        latencies.push(performance.now() - start)
      }
    }),
  )
  return { operations: latencies.length, latencies }
}

async function throughline(
  name: string,
  url: string,
  work: Work,
  durability: 'full' | 'relaxed' = 'full',
): Promise<Competitor> {
  const tl = await open({ url, durability })
  const sessions: Session[] = []
  for (let i = 0; i < work.sessions; i++) sessions.push(await tl.sessions.create({ userId: 'bench' }))
  const at = (writer: number) => sessions[writer % sessions.length] as Session
  let appended = 0
  return {
    name,
    round: async () => {
      const result = await writing(work, (writer, i) => at(writer).append(event(i)))
      appended += result.operations
      return result
    },
    async check() {
      const { events, differences } = await tl.verify()
      const kept = events - sessions.length
      return kept === appended && differences.length === 0 ? 'nothing lost' : `${appended - kept} lost`
    },
    close: () => tl.close(),
  }
}

function event(i: number) {
  return i % 2 === 0
    ? ({ type: 'user_message', role: 'user', content: CONTENT } as const)
    : ({ type: 'model_message', role: 'assistant', content: CONTENT } as const)
}

function raw(name: string, path: string, synchronous: 'full' | 'normal', work: Work): Competitor {
  const db = rawSqlite(path, synchronous)
  for (let i = 0; i < work.sessions; i++) db.create(`session-${i}`)
  return {
    name,
    round: () =>
      writing(work, (writer, i) => {
        const { type, role, content } = event(i)
        db.append(`session-${writer % work.sessions}`, crypto.randomUUID(), type, role, content)
      }),
    close: async () => db.close(),
  }
}

/** The least that keeps an event in memory: one JSON text each. */
function jsonArray(work: Work): Competitor {
  let log: string[] = []
  return {
    name: 'array of JSON strings',
    round: async () => {
      log = []
      return await writing(work, async (_, i) => {
        log.push(JSON.stringify({ id: crypto.randomUUID(), sequence: log.length + 1, ...event(i), at: new Date() }))
      })
    },
    close: async () => {},
  }
}
