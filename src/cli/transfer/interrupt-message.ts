import { EXIT } from '../exit-codes.ts'

/** Runs the work; if Ctrl-C ends it at a terminal, prints the message. */
export async function withInterruptMessage<T>(message: string, work: () => Promise<T>): Promise<T> {
  const print = (code: number) => {
    if (code === EXIT.interrupted && process.stderr.isTTY) process.stderr.write(`${message}\n`)
  }
  process.once('exit', print)
  try {
    return await work()
  } finally {
    process.off('exit', print)
  }
}
