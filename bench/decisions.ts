// Decisions under contention: 32 deciders on one session, in one process and in four.
// Usage: npm run bench:decisions [-- --against FOLDER --rounds N]
// --against measures another build (its dist folder) in turns with this one, each in a database of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { DeciderOptions } from './decider-process.ts'
import { pg } from './drivers.ts'
import { median, quantile } from './table.ts'
import { createWorkspace } from './workspace.ts'

const { values } = parseArgs({
  options: { against: { type: 'string' }, rounds: { type: 'string', default: '8' } },
})
const DECIDERS = 32
/** Decisions of each decider in a round. */
const EACH = 6
const CHILD = fileURLToPath(new URL('./decider-process.ts', import.meta.url))

interface Build {
  name: string
  module: string
  url: string
}

const places = createWorkspace()
try {
  const databases = await places.postgres()
  const folders = [
    ...(values.against === undefined ? [] : [{ name: 'against', folder: values.against }]),
    { name: 'this build', folder: fileURLToPath(new URL('../dist', import.meta.url)) },
  ]
  const builds: Build[] = []
  for (const { name, folder } of folders) {
    const module = pathToFileURL(join(folder, 'index.js')).href
    const url = await databases.empty()
    const { open } = (await import(module)) as typeof import('../dist/index.js')
    await (await open({ url, migrate: true })).close()
    builds.push({ name, module, url })
  }
  for (const processes of [1, 4]) await compare(builds, processes, Number(values.rounds))
} finally {
  await places.close()
}

/** Runs the builds in turns. */
async function compare(builds: readonly Build[], processes: number, rounds: number): Promise<void> {
  const found = builds.map((build) => ({ build, rates: [] as number[], latencies: [] as number[], connections: 0 }))
  for (let round = 0; round <= rounds; round++) {
    for (const one of found) {
      const { seconds, latencies, connections } = await decide(one.build, processes)
      // the first round only warms up
      if (round === 0) continue
      one.rates.push(latencies.length / seconds)
      one.latencies.push(...latencies)
      one.connections = Math.max(one.connections, connections)
    }
  }
  for (const { build, rates, latencies, connections } of found) {
    const sorted = latencies.toSorted((a, b) => a - b)
    const ms = (value: number | undefined) => `${(value ?? 0).toFixed(1)} ms`
    console.log(
      `${DECIDERS} deciders in ${processes} process(es), ${build.name}: ${Math.round(median(rates) ?? 0)} decisions/s, ` +
        `p50 ${ms(quantile(sorted, 0.5))}, p99 ${ms(quantile(sorted, 0.99))}, longest ${ms(sorted.at(-1))}; ` +
        `open transactions seen between two statements: ${connections}`,
    )
  }
}

async function decide({ module, url }: Build, processes: number) {
  const { open } = (await import(module)) as typeof import('../dist/index.js')
  const tl = await open({ url, index: false })
  const { id: sessionId } = await tl.sessions.create({ userId: 'bench' })
  await tl.close()
  const options: DeciderOptions = { build: module, url, sessionId, deciders: DECIDERS / processes, each: EACH }
  const children = Array.from({ length: processes }, () =>
    spawn(process.execPath, [CHILD, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] }),
  )
  const outputs = children.map((child) => createInterface(child.stdout as NonNullable<ChildProcess['stdout']>))
  const lines = outputs.map((output) => output[Symbol.asyncIterator]())
  await Promise.all(lines.map((line) => line.next()))
  const watch = await watchTransactions(url)
  const before = performance.now()
  for (const { stdin } of children) stdin?.write('go\n')
  const reports = await Promise.all(lines.map((line) => line.next()))
  const seconds = (performance.now() - before) / 1000
  const connections = await watch.stop()
  for (const child of children) {
    child.stdin?.end()
    if (child.exitCode === null) await once(child, 'exit')
  }
  return { seconds, connections, latencies: reports.flatMap(({ value }) => JSON.parse(value as string) as number[]) }
}

/** Counts the connections that wait for the client inside a transaction, again and again. */
async function watchTransactions(url: string) {
  const client = new pg.Client(url)
  await client.connect()
  let most = 0
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      const { rows } = await client.query(
        `select count(*)::int as n from pg_stat_activity where datname = current_database() and state = 'idle in transaction'`,
      )
      most = Math.max(most, Number(rows[0]?.n))
      await delay(10)
    }
  })()
  return {
    async stop() {
      isOver = true
      await watching
      await client.end()
      return most
    },
  }
}
