import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { caveatOf, type LineupEntry, targetOf } from './lineup.ts'
import type { Workload } from './load.ts'
import { describeLosses, lossesOf } from './losses.ts'
import type { Competitor } from './measure.ts'
import type { PartOptions } from './part.ts'
import type { WriterOptions, WriterReport } from './writer-process.ts'

/** Number of processes of the W4 writers. */
export const PROCESSES = 8

/** Several processes that write to one session. They stay; each round opens the store and closes it again. */
export async function startWriterProcesses(
  { store, ms, places }: PartOptions,
  seat: LineupEntry,
  work: Workload,
): Promise<Omit<Competitor, 'name' | 'kind'>> {
  const target = await targetOf(store, seat, places)
  const connections = work.writers
  const contender = await seat.entrant.open(target, { connections })
  const told = caveatOf(contender, store)
  const sessionId = await contender.create()
  await contender.close()

  const order = { store, name: seat.entrant.name, peer: seat.kind === 'peer', target, connections, sessionId }
  const children = Array.from({ length: PROCESSES }, (_, n) =>
    child({ ...order, first: n * work.writers, writers: work.writers, each: work.each, ms }),
  )
  const acknowledged = new Map<number, number>()

  return {
    ...told,
    async round() {
      await Promise.all(children.map((one) => asked(one, 'open', 'ready')))
      const done = await Promise.all(children.map((one) => asked(one, 'start', 'done')))
      for (const { counts } of done) for (const [writer, count] of counts) acknowledged.set(writer, count)
      const began = Math.min(...done.map(({ from }) => from))
      const ended = Math.max(...done.map(({ to }) => to))
      const latencies = done.flatMap((one) => one.latencies)
      return { operations: latencies.length, seconds: (ended - began) / 1000, latencies }
    },
    async check() {
      const last = await seat.entrant.open(target, { connections })
      const contents = await last.contents(sessionId)
      await last.close()
      return describeLosses(lossesOf(acknowledged, contents))
    },
    async close() {
      const living = children.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)
      const gone = living.map((one) => new Promise((resolve) => one.once('exit', resolve)))
      for (const one of living) one.disconnect()
      await Promise.all(gone)
    },
  }
}

function child(order: WriterOptions): ChildProcess {
  const path = fileURLToPath(new URL('./writer-process.ts', import.meta.url))
  return fork(path, [JSON.stringify(order)], {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
}

type Answer<Kind extends WriterReport['kind']> = Extract<WriterReport, { kind: Kind }>

async function asked<Kind extends WriterReport['kind']>(
  one: ChildProcess,
  word: string,
  kind: Kind,
): Promise<Answer<Kind>> {
  return await new Promise((resolve, reject) => {
    const answered = (told: WriterReport) => {
      one.off('exit', gone)
      if (told.kind === kind) resolve(told as Answer<Kind>)
      else reject(new Error(told.kind === 'failed' ? told.reason : `${told.kind} came instead of ${kind}`))
    }
    const gone = (code: number | null) => {
      one.off('message', answered)
      reject(new Error(`a process ended with ${code}`))
    }
    one.once('message', answered)
    one.once('exit', gone)
    one.send(word)
  })
}
