/** Waits for a time in milliseconds, or until `wake` is called. Throws the reason of the signal when it fires. */
export async function pause(
  ms: number,
  signal: AbortSignal | undefined,
  onWait: (wake: () => void) => (() => void) | undefined = () => undefined,
): Promise<void> {
  signal?.throwIfAborted()
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const end = onWait(resolve)
  const stop = () => resolve()
  signal?.addEventListener('abort', stop)
  try {
    await promise
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', stop)
    end?.()
  }
  signal?.throwIfAborted()
}
