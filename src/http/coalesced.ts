/** Runs the work once for all who ask at the same time, and again only when its result is older than `lifetimeMs`. */
export function coalesced<T>(work: () => Promise<T>, lifetimeMs: number, now = () => performance.now()) {
  let result: Promise<T> | undefined
  let until = Number.POSITIVE_INFINITY
  return (): Promise<T> => {
    if (result !== undefined && now() < until) return result
    until = Number.POSITIVE_INFINITY
    const settle = () => {
      until = now() + lifetimeMs
    }
    result = work()
    result.then(settle, settle)
    return result
  }
}
