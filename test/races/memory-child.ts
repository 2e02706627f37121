import { text } from 'node:stream/consumers'
import { type OpenOptions, open } from '../../src/index.ts'

/** The child's work on the sessions of one user, one after the other: it extracts memories from each, or recalls. */
export interface MemoryJob {
  target: OpenOptions
  userId: string
  sessions: readonly string[]
  /** Those that it purges instead. */
  purged?: readonly string[]
  /** What it asks instead, in each round one. */
  questions?: readonly string[]
}

/** What became of one call. */
export interface MemoryOutcome {
  sessionId: string
  code?: string
  message?: string
  /** How much was recalled. */
  found?: number
}

const { target, userId, sessions, purged = [], questions } = JSON.parse(process.argv[2] ?? '') as MemoryJob
const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`)
const tl = await open({ ...target, tokenizer: 'estimate' })
print('ready')
await text(process.stdin)

// something of its own to read in a quiet moment, while the others are at work
const own = await tl.sessions.create({ userId, chatmode: `process ${process.pid}` })
await own.append({ type: 'user_message', content: 'I prefer quiet moments.' })
await own.end()

async function outcomeOf(sessionId: string, round: number): Promise<MemoryOutcome> {
  try {
    if (questions !== undefined) {
      const query = questions[round % questions.length] ?? ''
      const { items } = await tl.recall({ userId, query, limit: 20 })
      return { sessionId, found: items.length }
    }
    if (purged.includes(sessionId)) await tl.sessions.purge(sessionId)
    else await tl.memories.extract(sessionId)
    return { sessionId }
  } catch (error) {
    const { code = '', message } = error as { code?: string; message: string }
    return { sessionId, code, message }
  }
}

for (const [round, sessionId] of sessions.entries()) print(await outcomeOf(sessionId, round))
await tl.close()
