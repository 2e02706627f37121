/** Milliseconds of reading, and of work on what was read, after which other work runs. */
const TURN_MS = 10

/**
 * Returns whether the reads of this turn of the event loop have taken long enough. A read ends in its own turn, so
 * callers that read one thing after another would block the event loop.
 */
export function readTurns(now = () => performance.now()): () => boolean {
  let begun: number | undefined
  return () => {
    if (begun !== undefined) return now() - begun > TURN_MS
    begun = now()
    setImmediate(() => {
      begun = undefined
    })
    return false
  }
}
