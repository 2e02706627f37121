/** What was asked was not answered in time; it may still happen. */
export class DeadlineError extends Error {
  override readonly name = 'LateError'
}

/** The outcome of work that is done within so many milliseconds, or a {@link DeadlineError}. */
export function withDeadline<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // after a busy second the clock is asked before the sockets are: an answer that lies there gets its turn first
    const late = () => setImmediate(() => reject(new DeadlineError(`no answer within ${ms} ms`)))
    const timer = setTimeout(late, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
