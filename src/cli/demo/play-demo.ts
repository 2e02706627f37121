import { randomUUID } from 'node:crypto'
import { open } from '../../open/open.ts'
import { targetOf } from '../../open/target.ts'
import type { Narrator } from './narrator.ts'
import { playTurns, type TurnReport } from './play-turns.ts'
import { type LogReport, showLog } from './show-log.ts'

/** Everything that was shown, for `--json`. */
export interface DemoReport {
  conversationId: string
  turns: TurnReport[]
  log: LogReport
}

/** Plays the five turns of the demo conversation and shows the log they leave. */
export async function playDemo(store: { url: string; cache?: string }, narrator: Narrator): Promise<DemoReport> {
  // a server counts tokens its own way
  const isServer = targetOf(store.url).store === 'http'
  const tl = await open({ ...store, ...(!isServer && { tokenizer: 'estimate' }) })
  try {
    // a new one for each run: the store may hold earlier demos
    const conversationId = `demo-${randomUUID()}`
    const turns = await playTurns(tl, conversationId, narrator)
    const [first, last] = [turns[0], turns.at(-1)] as [TurnReport, TurnReport]
    const ended = await tl.sessions.get(first.sessionId)
    const live = await tl.sessions.get(last.sessionId)
    return { conversationId, turns, log: await showLog(tl, ended, live, narrator) }
  } finally {
    await tl.close()
  }
}
