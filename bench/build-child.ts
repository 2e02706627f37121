import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { BuildOptions, ProcessRound } from './build-process.ts'

const CHILD = fileURLToPath(new URL('./build-process.ts', import.meta.url))

/** Starts a process that runs a round of its line when asked. */
export async function startProcess(options: BuildOptions) {
  const child = spawn(process.execPath, [CHILD, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] })
  const replies = createInterface(child.stdout)[Symbol.asyncIterator]()
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  async function reply(): Promise<ProcessRound> {
    const { value, done } = await replies.next()
    if (done === true) throw new Error(`the process of ${options.build} ended`)
    return JSON.parse(value) as ProcessRound
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
