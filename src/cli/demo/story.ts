import { randomUUID } from 'node:crypto'
import { open } from '../../open/open.ts'
import { targetOf } from '../../open/target.ts'
import { type LogTold, lookAtLog } from './log.ts'
import type { Narrator } from './narrator.ts'
import { playTurns, type TurnTold } from './turns.ts'

/** Everything that was told, for programs. */
export interface Told {
  conversationId: string
  turns: TurnTold[]
  log: LogTold
}

/** Plays a conversation from the first task to the second, and looks at the log that it left. */
export async function tellStory(store: { url: string; cache?: string }, narrator: Narrator): Promise<Told> {
  // a server counts tokens its own way
  const isServer = targetOf(store.url).store === 'http'
  const tl = await open({ ...store, ...(!isServer && { tokenizer: 'estimate' }) })
  try {
    // of its own in each run: a store that is kept may hold earlier ones
    const conversationId = `demo-${randomUUID()}`
    const turns = await playTurns(tl, conversationId, narrator)
    const [first, last] = [turns[0], turns.at(-1)] as [TurnTold, TurnTold]
    const log = await lookAtLog(
      tl,
      await tl.sessions.get(first.sessionId),
      await tl.sessions.get(last.sessionId),
      narrator,
    )
    return { conversationId, turns, log }
  } finally {
    await tl.close()
  }
}
