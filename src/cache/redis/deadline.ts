/** What was asked was not answered in time; it may still happen. */
export class LateError extends Error {
  override readonly name = 'LateError'
}

/** The outcome of work that is done within so many milliseconds, or a {@link LateError}. */
export function within<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // after a busy second the clock is asked before the sockets are: an answer that lies there gets its turn first
    const late = () => setImmediate(() => reject(new LateError(`no answer within ${ms} ms`)))
    const timer = setTimeout(late, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
