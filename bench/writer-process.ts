// A writer process of W4: opens a store and writes on request, and reports the result.
import type { Contender } from './contender.ts'
import { lineupOf, loadPeers, NO_PEERS, type Store } from './lineup.ts'
import { message, runWriters } from './load.ts'
import { markOf } from './losses.ts'
import { reasonOf } from './measure.ts'

/** The task of a process. */
export interface WriterOptions {
  store: Store
  name: string
  peer: boolean
  target: string
  connections: number
  sessionId: string
  /** Number of its first writer among those of all processes. */
  first: number
  writers: number
  each: number
  ms: number
}

/** Its report: times in milliseconds since 1970, and the acknowledged messages of each writer. */
export type WriterReport =
  | { kind: 'ready' }
  | { kind: 'done'; from: number; to: number; counts: Map<number, number>; latencies: number[] }
  | { kind: 'failed'; reason: string }

const order = JSON.parse(process.argv[2] ?? '{}') as WriterOptions
const { sessionId, first, writers, each, ms } = order
const counts = new Map<number, number>()
let contender: Contender | undefined

async function append(writer: number): Promise<void> {
  const own = first + writer
  const number = counts.get(own) ?? 0
  await contender?.append(sessionId, message(number, markOf(own, number)))
  counts.set(own, number + 1)
}

async function ready(): Promise<WriterReport> {
  const seats = lineupOf(order.store, order.peer ? await loadPeers() : NO_PEERS)
  const seat = seats.find(({ entrant }) => entrant.name === order.name)
  if (seat === undefined) throw new Error(`there is no ${order.name}`)
  contender = await seat.entrant.open(order.target, { connections: order.connections })
  // connects and prepares
  await runWriters({ writers, each: 1 }, append)
  return { kind: 'ready' }
}

async function written(): Promise<WriterReport> {
  const from = Date.now()
  const { latencies } = await runWriters({ writers, each }, append, ms)
  const to = Date.now()
  await contender?.close()
  contender = undefined
  return { kind: 'done', from, to, counts, latencies }
}

process.on('message', (word: 'open' | 'start') => {
  const work = word === 'open' ? ready() : written()
  work
    .catch((error): WriterReport => ({ kind: 'failed', reason: reasonOf(error) }))
    .then((told) => process.send?.(told))
    .catch(() => process.exit(1))
})
process.once('disconnect', () => process.exit())
