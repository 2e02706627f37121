import { EXIT } from './exit-codes.ts'

let isInstalled = false

const EXIT_SIGNALS = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const

/**
 * Exits at once on Ctrl-C, SIGTERM and a closed terminal, and silently when the reader of a pipe stops (`| head`).
 * Code that must clean up first listens to the process's `exit` event.
 */
export function exitOnSignals(): void {
  if (isInstalled) return
  isInstalled = true
  for (const [signal, code] of Object.entries(EXIT_SIGNALS)) process.once(signal, () => process.exit(code))
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(EXIT.ok)
      if (stream !== process.stderr) process.stderr.write(`error UNEXPECTED: cannot write: ${error.message}\n`)
      process.exit(EXIT.unexpected)
    })
  }
}

/** Resolves on the first SIGTERM or Ctrl-C. A second one exits at once. */
export function waitForStopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const earlier = process.listeners(signal)
      process.once(signal, () => {
        resolve()
        process.once(signal, () => process.exit(EXIT.interrupted))
      })
      // only now: without any listener for a moment, a signal that is on its way would be lost
      for (const listener of earlier) process.off(signal, listener)
    }
  })
}

/** Aborts on the first SIGTERM or Ctrl-C. */
export function stopSignal(): AbortSignal {
  const stop = new AbortController()
  void waitForStopSignal().then(() => stop.abort())
  return stop.signal
}
