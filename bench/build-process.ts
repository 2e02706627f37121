// A process of the comparison of builds: opens one build and runs a round of its line for each line of input.
import { createInterface } from 'node:readline'
import { BUILD_LINES, type LineName } from './build-lines.ts'
import type { Timings } from './load.ts'

/** The task of a process. */
export interface BuildOptions {
  /** URL of the module to open the store with. */
  build: string
  url: string
  index: boolean
  line: LineName
}

/** A round of one process. */
export interface ProcessRound extends Timings {
  /** Milliseconds of CPU time of the process. */
  cpuMs: number
}

const { build, url, index, line } = JSON.parse(process.argv[2] ?? '{}') as BuildOptions
const { open } = (await import(build)) as typeof import('../dist/index.js')
const tl = await open({ url, index })
const round = await BUILD_LINES[line].prepare(tl)
console.log('{}')
for await (const _ of createInterface(process.stdin)) {
  const before = process.cpuUsage()
  const timings = await round()
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ ...timings, cpuMs: (user + system) / 1000 } satisfies ProcessRound))
}
await tl.close()
