import { EXIT } from './exit-codes.ts'

let listening = false

/** Signals that ask a command to leave, and how it does. */
const EXIT_SIGNALS = { SIGHUP: EXIT.hungUp, SIGINT: EXIT.interrupted, SIGTERM: EXIT.terminated } as const

/**
 * Leaves at once on Ctrl-C, when its terminal is closed and when it is asked to by a signal, and without a word when the reader of a pipe has seen enough
 * (`| head`). What must be put in order before that listens to the process's `exit`.
 */
export function exitOnSignals(): void {
  if (listening) return
  listening = true
  for (const [signal, code] of Object.entries(EXIT_SIGNALS)) process.once(signal, () => process.exit(code))
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(EXIT.ok)
      if (stream !== process.stderr) process.stderr.write(`error UNEXPECTED: cannot write: ${error.message}\n`)
      process.exit(EXIT.unexpected)
    })
  }
}
