import { EXIT } from './exit-codes.ts'

let listening = false

/**
 * Leaves at once on Ctrl-C, and without a word when the reader of a pipe has seen enough (`| head`). What must be put in
 * order before that listens to the process's `exit`.
 */
export function leaveWhenAsked(): void {
  if (listening) return
  listening = true
  process.once('SIGINT', () => process.exit(EXIT.interrupted))
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(EXIT.ok)
      if (stream !== process.stderr) process.stderr.write(`error UNEXPECTED: cannot write: ${error.message}\n`)
      process.exit(EXIT.unexpected)
    })
  }
}
