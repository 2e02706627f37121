// Compares this build with another one, such as that of an earlier commit.
// Usage: npm run bench:builds -- --against FOLDER [--store sqlite|postgres --lines W1,C1 --rounds N --index]
// FOLDER is the other build's dist. Each build has a process and a database of its own; rounds alternate.
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { startProcess } from './build-child.ts'
import { BUILD_LINES, type BuildLine, type LineName } from './build-lines.ts'
import type { BuildOptions } from './build-process.ts'
import { median } from './table.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    store: { type: 'string', default: 'sqlite,postgres' },
    lines: { type: 'string', default: Object.keys(BUILD_LINES).join() },
    rounds: { type: 'string', default: '11' },
    index: { type: 'boolean', default: false },
  },
})
const lines = values.lines.split(',')
const unknown = lines.find((name) => !Object.hasOwn(BUILD_LINES, name))
if (values.against === undefined || unknown !== undefined) {
  console.error(unknown === undefined ? 'Name the other build: --against FOLDER' : `There is no line ${unknown}.`)
  process.exit(2)
}

/** A build that runs one round when asked. */
interface Build {
  round(): Promise<Round>
  stop(): Promise<void>
}

interface Round {
  perSecond: number
  /** Milliseconds of CPU time per operation, of the build's processes and of the database's. */
  cpu: number
}

const places = createWorkspace()
try {
  for (const store of values.store.split(',')) {
    for (const line of lines) await compare(store, line as LineName, Number(values.rounds))
  }
} finally {
  await places.close()
}

async function compare(store: string, line: LineName, rounds: number): Promise<void> {
  const folders = [values.against as string, fileURLToPath(new URL('../dist', import.meta.url))]
  const builds: Build[] = []
  for (const folder of folders) builds.push(await start(places, store, folder, line))
  const found: Round[][] = builds.map(() => [])
  // the first round only prepares and warms up
  for (let round = 0; round <= rounds; round++) {
    for (const [i, build] of turns(builds, round)) {
      const one = await build.round()
      if (round > 0) found[i]?.push(one)
    }
  }
  for (const build of builds) await build.stop()
  const [before, after] = found.map((list) => ({
    perSecond: median(list.map(({ perSecond }) => perSecond)) ?? 0,
    cpu: median(list.map(({ cpu }) => cpu)) ?? 0,
  })) as [Round, Round]
  console.log(
    `${store} ${BUILD_LINES[line].title}: ${(after.perSecond / before.perSecond).toFixed(2)} by rate ` +
      `(${Math.round(before.perSecond)} → ${Math.round(after.perSecond)}/s), ${(before.cpu / after.cpu).toFixed(2)} by CPU time ` +
      `(${(before.cpu * 1000).toFixed(1)} → ${(after.cpu * 1000).toFixed(1)} µs)`,
  )
}

/** The builds with their numbers, in the other order every second round. */
function turns(builds: readonly Build[], round: number): [number, Build][] {
  const all = [...builds.entries()]
  return round % 2 === 0 ? all : all.reverse()
}

async function start(workspace: Workspace, store: string, folder: string, line: LineName): Promise<Build> {
  const build = pathToFileURL(join(folder, 'index.js')).href
  const server = store === 'postgres' ? await workspace.postgres() : undefined
  const url = (await server?.empty()) ?? `sqlite:${workspace.file()}`
  const { open } = (await import(build)) as typeof import('../dist/index.js')
  await (await open({ url, migrate: true })).close()
  const { processes = 1 }: BuildLine = BUILD_LINES[line]
  const options: BuildOptions = { build, url, index: values.index, line }
  const children = await Promise.all(Array.from({ length: processes }, () => startProcess(options)))
  return {
    async round() {
      const before = (await server?.cpuTime()) ?? 0
      const done = await Promise.all(children.map((child) => child.round()))
      const operations = done.reduce((sum, one) => sum + one.operations, 0)
      const seconds = Math.max(...done.map((one) => one.seconds))
      const cpuMs = done.reduce((sum, one) => sum + one.cpuMs, ((await server?.cpuTime()) ?? 0) - before)
      return { perSecond: operations / seconds, cpu: cpuMs / operations }
    },
    async stop() {
      await Promise.all(children.map((child) => child.stop()))
    },
  }
}
