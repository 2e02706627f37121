import { EXIT } from '../exit-codes.ts'

/** Does the work, and says these words where Ctrl-C ends it, to people alone. */
export async function withInterruptMessage<T>(words: string, work: () => Promise<T>): Promise<T> {
  const say = (code: number) => {
    if (code === EXIT.interrupted && process.stderr.isTTY) process.stderr.write(`${words}\n`)
  }
  process.once('exit', say)
  try {
    return await work()
  } finally {
    process.off('exit', say)
  }
}
