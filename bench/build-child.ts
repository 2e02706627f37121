import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { BuildOptions } from './build-process.ts'
import type { Timings } from './load.ts'

const CHILD = fileURLToPath(new URL('./build-process.ts', import.meta.url))

/** Starts a process that runs a round of its line when asked. */
export async function startProcess(options: BuildOptions) {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const replies = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  async function reply(): Promise<Timings> {
    const { value, done } = await replies.next()
    if (done === true) throw new Error(`the process of ${options.build} ended`)
    return JSON.parse(value) as Timings
  }
  await reply()
  return {
    round() {
      child.stdin.write('round\n')
      return reply()
    },
    async stop() {
      child.stdin.end()
      await ended
    },
  }
}
