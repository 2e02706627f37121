/** The response did not arrive in time; the command may still take effect. */
export class DeadlineError extends Error {
  override readonly name = 'LateError'
}

/** The result of `work`, or a {@link DeadlineError} after `ms`. */
export function withDeadline<T>(ms: number, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    // timers run before sockets after a busy turn: a response that already arrived is read first
    const late = () => setImmediate(() => reject(new DeadlineError(`no answer within ${ms} ms`)))
    const timer = setTimeout(late, ms)
    work.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
