// The worker thread: runs the computations that the main thread sends. Those that arrive meanwhile take turns with it.
import { parentPort } from 'node:worker_threads'
import { type JobInput, type JobName, runInPieces } from './jobs.ts'

/** A computation to run. */
export interface Order {
  readonly id: number
  readonly name: JobName
  readonly input: JobInput<JobName>
}

/** The outcome of the order with this id. */
export type Outcome = { readonly id: number } & ({ readonly result: unknown } | { readonly error: unknown })

parentPort?.on('message', ({ id, name, input }: Order) => {
  const tell = (outcome: Outcome) => parentPort?.postMessage(outcome)
  runInPieces(name, input).then(
    (result) => tell({ id, result }),
    (error: unknown) => tell({ id, error }),
  )
})
