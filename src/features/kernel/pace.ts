import { nextTurn } from './next-turn.ts'

/** Milliseconds of work after which other work runs. */
const TURN_MS = 25

/**
 * Lets other work run if the last time is long enough ago; otherwise returns `undefined`, so that short work need not
 * wait. Call it in loops whose steps have an unknown cost.
 */
export function pacer(now = () => performance.now()): () => Promise<void> | undefined {
  let begun = now()
  return () => {
    if (now() - begun < TURN_MS) return undefined
    return nextTurn().then(() => {
      begun = now()
    })
  }
}
