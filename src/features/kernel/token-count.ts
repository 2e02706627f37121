import type { SessionEvent } from '../../domain/event.ts'
import { slicesOf } from '../../domain/text-slices.ts'
import { type CountTokens, tokensOf } from '../../domain/window.ts'
import type { Tokenizer } from '../../ports/tokenizer.ts'
import type { Deps } from './deps.ts'
import { nextTurn } from './next-turn.ts'

/** Milliseconds of counting after which other work runs. */
const TURN_MS = 25
/** Texts up to this length are counted at once. */
const SHORT = 4000
/** The rest of a text from which on it is worth sending, if the tokenizer counts long texts elsewhere. */
const LONG = 32 * 1024
/** Slices for tokenizers that cut no slices themselves. */
const SLICE = 16_000 - (16_000 % 6)

/**
 * Returns the counter of one read. It counts a text slice by slice, no further than the limit. After 25 ms it lets
 * other work run, and leaves the rest of a long text to the worker thread: 2 MB of random characters took 14 s.
 */
export async function tokenCounter(deps: Deps): Promise<CountTokens> {
  return counterOf(await deps.tokenizer(), deps.countLong)
}

/** Counts an event; see `tokensOf`. */
export type EventCounter = (event: SessionEvent, atMost: number) => Promise<number>

/** Returns a counter that remembers what it counted to the end: events never change. */
export async function eventCounter(deps: Deps): Promise<EventCounter> {
  const count = await tokenCounter(deps)
  return async (event, atMost) => {
    const key = `${event.id} whole`
    const known = deps.tokenCounts.get(key)
    if (known) return known.tokens
    const tokens = await tokensOf(event, count, atMost)
    if (tokens <= atMost) deps.tokenCounts.set(key, { tokens })
    return tokens
  }
}

/** See {@link tokenCounter}. */
export function counterOf(tokenizer: Tokenizer, countLong?: CountTokens): CountTokens {
  let turn = performance.now()
  const isOver = () => performance.now() - turn > TURN_MS
  const countSlices = async (text: string, atMost: number) => {
    let tokens = 0
    let at = 0
    for (const slice of tokenizer.slices?.(text) ?? slicesOf(text, SLICE)) {
      if (isOver()) {
        if (countLong !== undefined && text.length - at > LONG) {
          return tokens + (await countLong(text.slice(at), atMost - tokens))
        }
        await nextTurn()
        turn = performance.now()
      }
      tokens += tokenizer.count(slice)
      if (tokens > atMost) break
      at += slice.length
    }
    return tokens
  }
  return (text, atMost) => (text.length <= SHORT && !isOver() ? tokenizer.count(text) : countSlices(text, atMost))
}
